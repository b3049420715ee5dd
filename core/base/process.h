// This process (environment, heap, usage, build id, signals), random bytes, and child processes. A
// child process has its own process group and log. RunChild reads the child's output line by line.
// It ends the child together with the child's group.
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

// Returns "" if the variable is unset or empty.
inline std::string Environment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

// Makes the heap map each large block separately, so that a freed block returns to the system. Call
// it once, before other threads start.
void SettleHeap();

// Returns unused heap memory to the system whenever the unused amount has grown.
class HeapKeeper {
 public:
  // Call it periodically. It walks all free blocks, which takes up to 10 ms.
  void Look();

 private:
  // The unused memory that remained after the last trim, in bytes.
  std::int64_t rest_ = 0;
};

// This process's use of resources, from /proc.
struct ProcessUsage {
  double cpu_seconds = 0;      // time of all threads, in user and kernel mode
  double started_seconds = 0;  // since 1970
  std::size_t resident_bytes = 0, virtual_bytes = 0;
  std::size_t threads = 0;
  std::size_t open_files = 0, most_files = 0;
};

// nullopt if /proc cannot be read.
std::optional<ProcessUsage> ReadProcessUsage();

// The linker's build id of the running program, as lower-case hex: a digest of its content. "" if
// the program has no build id.
std::string BuildId();

// The effect of a second SIGTERM or SIGINT.
enum class SecondSignal { kEndsProcess, kIgnored };
// Returns a function that says whether SIGTERM or SIGINT arrived. The first signal has no other
// effect. Call it once, before other threads start, because threads inherit the blocked signals.
std::function<bool()> CatchStopSignals(SecondSignal second = SecondSignal::kEndsProcess);

// RandomBytes and RandomUuid throw std::system_error if the system fails.
std::string RandomBytes(std::size_t bytes);
std::string RandomUuid();  // version 4: the Idempotency-Key of a batch

struct ChildCommand {
  std::vector<std::string> arguments;              // the program (searched in $PATH), then its own
  std::map<std::string, std::string> environment;  // added to this process's environment
  // the child's working folder; empty: this process's folder
  std::filesystem::path folder;
  std::filesystem::path log;  // gets stdout and stderr appended; empty: none
};

struct ChildLimits {
  std::chrono::milliseconds whole{0};    // limit of the whole run; 0: none
  std::chrono::milliseconds silence{0};  // limit without any output; 0: none
  // The time between SIGTERM, which lets a script flush its data, and SIGKILL.
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
// Runs the program to its end. `line` receives every line, cut to kMaxLineBytes. A carriage return
// also ends a line, as in progress bars. RunChild polls `stop` several times a second. Errors:
// child_unstartable (with the program and the reason), file_unwritable (the log).
Result<ChildEnd> RunChild(const ChildCommand& command, const ChildLimits& limits,
                          const std::function<void(std::string_view)>& line,
                          const std::function<bool()>& stop);

// The child's stdin, stdout and stderr; by default those of this process.
struct ChildStreams {
  int input = STDIN_FILENO, output = STDOUT_FILENO, errors = STDERR_FILENO;
};

// Returns the child's pid, which is also the id of its group. The child cannot get the API key: its
// environment lacks the key, and it cannot read this process's memory. The child inherits only the
// three streams. Errors: child_unstartable, with the program and the system's reason.
Result<pid_t> StartChild(const ChildCommand& command, const ChildStreams& streams);

// Waits until the child ends. Returns waitpid's status; nullopt if the system reaped the child
// itself.
std::optional<int> WaitFor(pid_t pid);

}  // namespace tunehub::core
