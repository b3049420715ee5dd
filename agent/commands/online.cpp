#include "agent/commands/online.h"

#include <unistd.h>

#include <cerrno>
#include <ostream>
#include <string>
#include <system_error>
#include <vector>

#include "agent/base/configuration.h"

namespace tunehub::agent {

int RunOnline(int argc, char** argv, Console& console) {
  std::string program = (ExecutableFolder() / "tunehub-agent-online").string();
  std::vector<char*> arguments = {program.data()};
  arguments.insert(arguments.end(), argv, argv + argc);
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  console.err << "tunehub-agent: " << program << ": " << std::generic_category().message(errno)
              << '\n';
  return kFailed;
}

}  // namespace tunehub::agent
