// Runs a program as a user does: it gives arguments and an environment, and gets the exit status
// and the output.
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
  // Added to this process's environment, without its TUNEHUB_* and AITER_ROOT_DIR.
  std::map<std::string, std::string> environment = {};
};

struct Finished {
  int status = -1;  // the exit status; 128 + signal if a signal ended it
  std::string out, err;
};

// A child process whose output goes to files. The destructor kills the process.
class Program {
 public:
  Program(const Command& command, const std::filesystem::path& out,
          const std::filesystem::path& err);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  void Signal(int number);
  // The exit status, as in Finished; nothing if the process still runs after the limit.
  std::optional<int> Wait(std::chrono::milliseconds limit);

 private:
  pid_t pid_;
  std::optional<int> status_;
};

// Throws if the program runs longer than 20 minutes.
Finished RunToEnd(const Command& command);

std::string ServerBinary();
std::string AgentBinary();
std::string ExampleBinary();    // of libtunehub_dispatch
std::string DispatchLibrary();  // libtunehub_dispatch.so

}  // namespace tunehub::test
