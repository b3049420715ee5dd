#include "tests/amd/emu/block.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <numeric>

#include "kernels/buffer.h"

namespace tunehub::kernels::emu {
namespace {

using amd::kWave;

// A lane's sums and fragments take a few KiB. A guard page follows each stack.
constexpr std::size_t kStackBytes = 128 * 1024;

thread_local Block* current = nullptr;

}  // namespace

Block& Block::Current() {
  return *current;
}

Block::Block(int threads, int lds_bytes, const Memory& memory, std::function<void(char* lds)> work,
             std::uint64_t seed)
    : memory_(memory),
      work_(std::move(work)),
      shared_(lds_bytes),
      lanes_(U(threads)),
      meetings_(U(threads / kWave)),
      seed_(seed) {
  for (auto& lane : lanes_) lane.fiber = MakeFiber();
}

// Unwinds the lanes that still wait.
Block::~Block() = default;

// The fiber executes the work once per Run.
boost::context::fiber Block::MakeFiber() {
  return {std::allocator_arg, boost::context::protected_fixedsize_stack(kStackBytes),
          [this](boost::context::fiber&& scheduler) {
            scheduler_ = std::move(scheduler);
            for (;;) {
              try {
                work_(reinterpret_cast<char*>(shared_.data()));
              } catch (const Stop&) {  // NOLINT(bugprone-empty-catch): the lane has ended
              }
              lanes_[U(running_)].state = State::kDone;
              Yield();
            }
            return std::move(scheduler_);
          }};
}

void Block::Yield() {
  scheduler_ = std::move(scheduler_).resume();
}

// Runs each lane that can run once, in a random order. Returns true if a lane ran.
bool Block::RunWave(int wave) {
  std::array<int, kWave> order;
  std::iota(order.begin(), order.end(), wave * kWave);
  std::shuffle(order.begin(), order.end(), random_);
  bool ran = false;
  for (const int lane : order) {
    if (lanes_[U(lane)].state != State::kReady || error_) continue;
    running_ = lane;
    lanes_[U(lane)].fiber = std::move(lanes_[U(lane)].fiber).resume();
    ran = true;
  }
  return ran;
}

std::optional<core::Error> Block::Run(const BlockIndex& index) {
  current = this;
  index_ = index;
  shared_.Reset();
  // The seed contains the index, so that a block has the same order on any worker.
  random_.seed(seed_ * 1'000'003 + U(index.x) * 8191 + U(index.y) * 131 + U(index.z));
  for (auto& lane : lanes_) lane.state = State::kReady;
  std::vector<int> waves(meetings_.size());
  std::iota(waves.begin(), waves.end(), 0);
  const auto done = [](const Lane& lane) { return lane.state == State::kDone; };
  while (!error_ && !std::all_of(lanes_.begin(), lanes_.end(), done)) {
    std::shuffle(waves.begin(), waves.end(), random_);
    bool ran = false;
    for (const int wave : waves) ran = RunWave(wave) || ran;
    if (!ran) error_ = Deadlock();
  }
  return error_;
}

void Block::Barrier() {
  lanes_[U(running_)].state = State::kAtBarrier;
  if (++at_barrier_ == static_cast<int>(lanes_.size())) {
    at_barrier_ = 0;
    shared_.NextPhase();
    for (auto& lane : lanes_) lane.state = State::kReady;
    return;
  }
  Yield();
}

void Block::Multiply(const MatrixShape& shape, const void* first, const void* second, void* sums) {
  auto& meeting = meetings_[U(running_ / kWave)];
  const auto lane = U(running_ % kWave);
  if (meeting.shape && *meeting.shape != shape) {
    Fail("diverged", "executes another matrix instruction than its wave");
  }
  meeting.shape = shape;
  meeting.lanes.first[lane] = static_cast<const std::byte*>(first);
  meeting.lanes.second[lane] = static_cast<const std::byte*>(second);
  meeting.lanes.sums[lane] = sums;
  lanes_[U(running_)].state = State::kAtMatrix;
  if (++meeting.arrived < kWave) return Yield();
  meeting.arrived = 0;
  meeting.shape.reset();
  const int wave = running_ / kWave * kWave;
  for (int it = wave; it < wave + kWave; ++it) lanes_[U(it)].state = State::kReady;
  MultiplyChunks(shape, meeting.lanes);
}

void Block::CheckGlobal(const void* at, std::size_t bytes, std::size_t alignment, Access access) {
  if (const auto why = memory_.Refuse(at, bytes, alignment, access)) Fail("out_of_bounds", *why);
}

void Block::CheckShared(const void* at, Access access) {
  const auto offset = static_cast<const std::byte*>(at) - shared_.data();
  if (const auto why = shared_.Refuse(offset, running_, access)) {
    Fail(why->find("barrier") == std::string::npos ? "out_of_bounds" : "race", *why);
  }
}

void Block::Fail(const char* kind, const std::string& what) {
  if (!error_) error_ = core::Error{kind, fmt::format("{}: lane {} {}", Place(), running_, what)};
  throw Stop();
}

std::string Block::Place() const {
  return fmt::format("block ({}, {}, {})", index_.x, index_.y, index_.z);
}

core::Error Block::Deadlock() const {
  const auto count = [&](State state) {
    return std::count_if(lanes_.begin(), lanes_.end(),
                         [&](const Lane& lane) { return lane.state == state; });
  };
  return {
      "deadlock",
      fmt::format("{}: of {} lanes {} wait at a barrier, {} at a matrix instruction, and {} have "
                  "ended",
                  Place(), lanes_.size(), count(State::kAtBarrier), count(State::kAtMatrix),
                  count(State::kDone))};
}

}  // namespace tunehub::kernels::emu
