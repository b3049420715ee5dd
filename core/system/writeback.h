// Lets the disk work on the beginning of a file while the rest of it is being written.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace tunehub::core {

class Writeback {
 public:
  // `fd` must outlive it.
  explicit Writeback(int fd);
  ~Writeback();  // what has not been started by then is left to others
  Writeback(const Writeback&) = delete;
  Writeback& operator=(const Writeback&) = delete;

  // The file has its first `bytes` bytes.
  void Reached(std::int64_t bytes);

 private:
  static constexpr std::int64_t kEnd = -1;

  void Run(int fd);

  std::atomic<std::int64_t> reached_ = 0;
  std::jthread thread_;
};

}  // namespace tunehub::core
