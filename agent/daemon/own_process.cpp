#include "agent/daemon/own_process.h"

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace tunehub::agent::daemon {
namespace {

namespace fs = std::filesystem;

// The parent's pid: the second field behind the name in brackets.
pid_t ParentOf(const fs::path& root, pid_t pid) {
  std::ifstream file(root / "proc" / std::to_string(pid) / "stat");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto bracket = text.rfind(')');
  if (bracket == std::string::npos) return 0;
  std::istringstream fields(text.substr(bracket + 1));
  std::string state;
  pid_t parent = 0;
  fields >> state >> parent;
  return parent;
}

}  // namespace

// A tuner's own children and grandchildren are ours.
bool IsOurs(const fs::path& root, pid_t pid, const OwnWork& own) {
  constexpr int kMostGenerations = 16;
  for (int i = 0; i < kMostGenerations && pid > 1; ++i) {
    if (pid == own.agent || pid == own.worker) return true;
    pid = ParentOf(root, pid);
  }
  return false;
}

}  // namespace tunehub::agent::daemon
