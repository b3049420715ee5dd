// This process: its variables, heap, usage, build and signals; randomness from the system. And a
// program that runs for hours: in a process group of its own, its output read line by line and kept
// in a log, ended with everything that it started.
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

// "" where it is not set, too.
inline std::string Environment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

// The heap's habits: what was freed goes back to the system, so that one large answer does not stay
// in the process for ever.

// To be called once, before threads start: large blocks are mapped by themselves, and go back where
// they are freed.
void SettleHeap();

// Gives back what nobody uses of the heap, where it has become more.
class HeapKeeper {
 public:
  // To be called from time to time: a look walks all free blocks, which may take ten milliseconds.
  void Look();

 private:
  // What the process has beyond what is in use, after the last time: the heap cannot give it back.
  std::int64_t rest_ = 0;
};

// What this process takes of the machine, as /proc says.
struct ProcessUsage {
  double cpu_seconds = 0;      // of all threads, in the program and in the kernel
  double started_seconds = 0;  // since 1970
  std::size_t resident_bytes = 0, virtual_bytes = 0;
  std::size_t threads = 0;
  std::size_t open_files = 0, most_files = 0;
};

// Absent where /proc cannot be read.
std::optional<ProcessUsage> ReadProcessUsage();

// What the linker wrote into the running program, a digest of all that is in it, as lower-case hex;
// "" where it wrote nothing.
std::string BuildId();

// SIGTERM and SIGINT as a question: has somebody asked this process to end?
enum class SecondSignal { kEndsProcess, kIgnored };

// From here on the first of the two signals only makes the answer true. The process must have no
// other thread yet, and no answer of before: threads inherit that both signals are blocked.
std::function<bool()> CatchStopSignals(SecondSignal second = SecondSignal::kEndsProcess);

// Both throw std::system_error where the system has none.
std::string RandomBytes(std::size_t bytes);
std::string RandomUuid();  // version 4: the Idempotency-Key of a batch

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
