// Memory that lanes may access: a launch's buffers, and a block's LDS, which records accesses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tunehub::kernels::emu {

enum class Access { kRead, kWrite };

// A buffer that the host passed to the launch.
struct Range {
  std::string name;
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  bool writable = false;
};

class Memory {
 public:
  explicit Memory(std::vector<Range> ranges) : ranges_(std::move(ranges)) {}

  // The fault of the access; nothing if it is aligned and within a range.
  std::optional<std::string> Refuse(const void* at, std::size_t bytes, std::size_t alignment,
                                    Access access) const;

 private:
  std::vector<Range> ranges_;
};

// A block's LDS. Here lanes run one after the other, but on a GPU they run in parallel. So between
// two barriers no lane may access bytes that another lane wrote, or write bytes that another lane
// read.
class SharedMemory {
 public:
  static constexpr int kGrain = 16;  // bytes; accesses are recorded per grain

  explicit SharedMemory(int bytes);

  std::byte* data() { return data_; }
  // Forgets all accesses and fills the LDS with poison, for the next block.
  void Reset();
  // Call this when all lanes are at a barrier. The barrier orders earlier accesses before later
  // ones.
  void NextPhase() { ++phase_; }

  // The fault of an access by `lane` to kGrain bytes at `offset`. Records a valid access.
  std::optional<std::string> Refuse(std::int64_t offset, int lane, Access access);

 private:
  static constexpr int kNever = -1, kNobody = -1, kSeveral = -2;
  struct Grain {
    int write_phase = kNever, writer = kNobody;
    int read_phase = kNever, reader = kNobody;
  };

  int bytes_;
  int phase_ = 0;
  std::vector<std::byte> storage_;
  std::byte* data_;  // the aligned part of storage_
  std::vector<Grain> grains_;
};

}  // namespace tunehub::kernels::emu
