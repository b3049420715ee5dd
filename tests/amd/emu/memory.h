// What lanes may touch: the buffers of a launch, and a block's LDS with a record of who touched
// what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tunehub::kernels::emu {

enum class Access { kRead, kWrite };

// A buffer that the host gave to the launch.
struct Range {
  std::string name;
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  bool writable = false;
};

class Memory {
 public:
  explicit Memory(std::vector<Range> ranges) : ranges_(std::move(ranges)) {}

  // What is wrong with the access; nothing where it lies within a range and is aligned.
  std::optional<std::string> Refuse(const void* at, std::size_t bytes, std::size_t alignment,
                                    Access access) const;

 private:
  std::vector<Range> ranges_;
};

// A block's LDS. Lanes run one after the other here and beside one another there, so between two
// barriers no lane may touch what another one wrote, nor write what another one read.
class SharedMemory {
 public:
  static constexpr int kGrain = 16;  // bytes that are accessed at a time

  explicit SharedMemory(int bytes);

  std::byte* data() { return data_; }
  // Forgets everything: the next block starts, with poison.
  void Reset();
  // All lanes have met: what was done before is ordered before what comes.
  void NextPhase() { ++phase_; }

  // What is wrong with lane `lane` accessing kGrain bytes at `offset`; else records it.
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
  std::byte* data_;  // within storage_, aligned
  std::vector<Grain> grains_;
};

}  // namespace tunehub::kernels::emu
