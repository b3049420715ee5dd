#include "core/system/writeback.h"

#include <fcntl.h>

namespace tunehub::core {

// A thread, because starting a write takes the processor longer than copying its bytes.
Writeback::Writeback(int fd) : thread_([this, fd] { Run(fd); }) {}

Writeback::~Writeback() {
  Reached(kEnd);
}

void Writeback::Reached(std::int64_t bytes) {
  reached_ = bytes;
  reached_.notify_one();
}

void Writeback::Run(int fd) {
  for (std::int64_t started = 0;;) {
    reached_.wait(started);
    const std::int64_t reached = reached_;
    if (reached == kEnd) return;
    // A hint: whoever waits for the bytes has the last word, and learns of errors.
    ::sync_file_range(fd, started, reached - started, SYNC_FILE_RANGE_WRITE);
    started = reached;
  }
}

}  // namespace tunehub::core
