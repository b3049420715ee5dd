// A block of lanes. Each lane is a fiber, and all run on one thread of the operating system. A lane
// runs until it must wait: at a barrier, or for its wave at a matrix instruction.
#pragma once

#include <boost/context/fiber.hpp>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "tests/amd/emu/matrix.h"
#include "tests/amd/emu/memory.h"

namespace tunehub::kernels::emu {

struct BlockIndex {
  int x = 0, y = 0, z = 0;
};

class Block {
 public:
  // Each lane executes `work`. `seed` determines the order in which lanes run.
  Block(int threads, int lds_bytes, const Memory& memory, std::function<void(char* lds)> work,
        std::uint64_t seed);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block();

  // Errors: out_of_bounds, race, deadlock, diverged. Each names the block, the lane and its access.
  // After an error the block must not run again.
  std::optional<core::Error> Run(const BlockIndex& index);

  // --- Only a running lane calls these functions. ---
  static Block& Current();
  int lane() const { return running_; }
  const BlockIndex& index() const { return index_; }
  void Barrier();
  void Multiply(const MatrixShape& shape, const void* first, const void* second, void* sums);
  void CheckGlobal(const void* at, std::size_t bytes, std::size_t alignment, Access access);
  void CheckShared(const void* at, Access access);

 private:
  enum class State { kReady, kAtBarrier, kAtMatrix, kDone };
  struct Lane {
    boost::context::fiber fiber;
    State state = State::kReady;
  };
  // The lanes of a wave that wait at a matrix instruction.
  struct Meeting {
    int arrived = 0;
    std::optional<MatrixShape> shape;
    Lanes lanes;
  };
  struct Stop {};  // thrown to end a lane after a fault

  boost::context::fiber MakeFiber();
  bool RunWave(int wave);
  void Yield();
  [[noreturn]] void Fail(const char* kind, const std::string& what);
  core::Error Deadlock() const;
  std::string Place() const;

  const Memory& memory_;
  const std::function<void(char*)> work_;
  SharedMemory shared_;
  std::vector<Lane> lanes_;
  std::vector<Meeting> meetings_;  // by wave
  boost::context::fiber scheduler_;
  const std::uint64_t seed_;
  // Seeded again for each block, so that each run of a test has the same order.
  std::mt19937_64 random_{0};  // NOLINT(bugprone-random-generator-seed)
  BlockIndex index_;
  int running_ = 0;
  int at_barrier_ = 0;
  std::optional<core::Error> error_;
};

}  // namespace tunehub::kernels::emu
