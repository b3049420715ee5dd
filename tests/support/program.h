// Runs a program as a person would: arguments and environment in, exit status and output out.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tunehub::test {

struct Command {
  std::string program;  // a path
  std::vector<std::string> arguments;
  // Beside this process's own environment, of which neither TUNEHUB_* nor AITER_ROOT_DIR is handed
  // on.
  std::map<std::string, std::string> environment = {};
};

struct Finished {
  int status = -1;  // the exit status; 128 + signal where a signal ended it
  std::string out, err;
};

// A child process whose output goes to files. Killed with its object.
class Program {
 public:
  Program(const Command& command, const std::filesystem::path& out,
          const std::filesystem::path& err);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  void Signal(int number);
  // Its status (as in Finished); nothing where it still runs after so long.
  std::optional<int> Wait(std::chrono::milliseconds limit);

 private:
  pid_t pid_;
  std::optional<int> status_;
};

// Runs to the end. Throws where that takes longer than a minute or two of a slow machine.
Finished RunToEnd(const Command& command);

// Of this build.
std::string ServerBinary();
std::string AgentBinary();
std::string ExampleBinary();    // of libtunehub_dispatch
std::string DispatchLibrary();  // libtunehub_dispatch.so

}  // namespace tunehub::test
