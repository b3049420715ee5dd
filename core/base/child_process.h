// A program that runs for hours: in a process group of its own, its output read line by line and
// kept in a log, ended with everything that it started.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::core {

struct ChildCommand {
  std::vector<std::string> arguments;              // the program first, looked for in $PATH
  std::map<std::string, std::string> environment;  // beside this process's own
  std::filesystem::path folder;                    // to start in; empty: here
  std::filesystem::path log;  // stdout and stderr are appended; empty: kept nowhere
};

struct ChildLimits {
  std::chrono::milliseconds whole{0};    // 0: none
  std::chrono::milliseconds silence{0};  // without any output; 0: none
  // Between SIGTERM, which lets a script flush what it has, and SIGKILL.
  std::chrono::milliseconds grace{5000};
};

struct ChildEnd {
  enum class Why { kItself, kTooLong, kSilent, kStopped } why = Why::kItself;
  int code = -1;   // exit code; -1 where a signal ended it
  int signal = 0;  // that ended it; 0: none

  bool succeeded() const { return why == Why::kItself && code == 0; }
  std::string Text() const;  // "exit code 1", "signal 11", "no output for 3600 s"
};

// Runs to the end. `line` gets every line (also those ended by a carriage return, as progress bars
// are), at most kMaxLineBytes of each; `stop` is asked several times a second. Errors:
// child_unstartable (with the program and the reason), file_unwritable (the log).
inline constexpr std::size_t kMaxLineBytes = 65'536;
Result<ChildEnd> RunChild(const ChildCommand& command, const ChildLimits& limits,
                          const std::function<void(std::string_view)>& line,
                          const std::function<bool()>& stop);

// What becomes the child's three; this process's own, unless it says otherwise.
struct ChildStreams {
  int input = STDIN_FILENO, output = STDOUT_FILENO, errors = STDERR_FILENO;
};

// The child's number, which is also its group's. The key of the hub is none of its business: its
// environment lacks it, it inherits no descriptor but the three, and it cannot read the memory of
// this process. Errors: child_unstartable, with the program and the system's reason.
Result<pid_t> StartChild(const ChildCommand& command, const ChildStreams& streams);

// Waits for its end. Returns the status of waitpid; nothing where the system reaped it itself.
std::optional<int> WaitFor(pid_t pid);

}  // namespace tunehub::core
