// This process: its variables, heap, usage, build and signals; randomness from the system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>

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

}  // namespace tunehub::core
