// This process: environment, heap, usage, build id, signals; random bytes. Child processes: each
// has its own process group and a log, is read line by line, and is ended with its group.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::core {

// "" if unset or empty.
inline std::string Environment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

// Makes the heap map each large block separately, so that a freed block returns to the system. Call
// it once, before threads start.
void SettleHeap();

// Returns unused heap memory to the system when it has grown.
class HeapKeeper {
 public:
  // Call it periodically. It walks all free blocks: up to ten milliseconds.
  void Look();

 private:
  // Unused memory after the last trim, which the heap could not return.
  std::int64_t rest_ = 0;
};

// Resources that this process uses, from /proc.
struct ProcessUsage {
  double cpu_seconds = 0;      // of all threads, in the program and in the kernel
  double started_seconds = 0;  // since 1970
  std::size_t resident_bytes = 0, virtual_bytes = 0;
  std::size_t threads = 0;
  std::size_t open_files = 0, most_files = 0;
};

// nullopt if /proc cannot be read.
std::optional<ProcessUsage> ReadProcessUsage();

// The linker's build id, a digest of the running program's content, as lower-case hex; "" if it has
// none.
std::string BuildId();

// The effect of a second SIGTERM or SIGINT.
enum class SecondSignal { kEndsProcess, kIgnored };
// Returns a function that says whether SIGTERM or SIGINT came; the first signal has no other
// effect. Call it once, before other threads start: threads inherit that both signals are blocked.
std::function<bool()> CatchStopSignals(SecondSignal second = SecondSignal::kEndsProcess);

// Both throw std::system_error if the system fails.
std::string RandomBytes(std::size_t bytes);
std::string RandomUuid();  // version 4: the Idempotency-Key of a batch

struct ChildCommand {
  std::vector<std::string> arguments;              // the program first, looked for in $PATH
  std::map<std::string, std::string> environment;  // added to this process's own
  std::filesystem::path folder;                    // its working folder; empty: this process's
  std::filesystem::path log;                       // stdout and stderr are appended; empty: no log
};

struct ChildLimits {
  std::chrono::milliseconds whole{0};    // limit of the whole run; 0: none
  std::chrono::milliseconds silence{0};  // limit without any output; 0: none
  // Between SIGTERM, which lets a script flush what it has, and SIGKILL.
  std::chrono::milliseconds grace{5000};
};

struct ChildEnd {
  enum class Why { kItself, kTooLong, kSilent, kStopped } why = Why::kItself;
  int code = -1;   // exit code; -1 if a signal ended the child
  int signal = 0;  // the signal that ended the child; 0: none

  bool succeeded() const { return why == Why::kItself && code == 0; }
  std::string Text() const;  // "exit code 1", "signal 11", "it was stopped"
};

inline constexpr std::size_t kMaxLineBytes = 65'536;
// Runs the program to its end. `line` gets every line (also those ended by a carriage return, as in
// progress bars), at most kMaxLineBytes of each; `stop` is polled several times a second. Errors:
// child_unstartable (with the program and the reason), file_unwritable (the log).
Result<ChildEnd> RunChild(const ChildCommand& command, const ChildLimits& limits,
                          const std::function<void(std::string_view)>& line,
                          const std::function<bool()>& stop);

// The child's stdin, stdout and stderr; by default this process's own.
struct ChildStreams {
  int input = STDIN_FILENO, output = STDOUT_FILENO, errors = STDERR_FILENO;
};

// Returns the child's pid, which is also its group's id. The child cannot get the API key: its
// environment lacks it, it inherits only the three streams, and it cannot read this process's
// memory. Errors: child_unstartable, with the program and the system's reason.
Result<pid_t> StartChild(const ChildCommand& command, const ChildStreams& streams);

// Waits for the child's end. Returns waitpid's status; nullopt if the system reaped it itself.
std::optional<int> WaitFor(pid_t pid);

}  // namespace tunehub::core
