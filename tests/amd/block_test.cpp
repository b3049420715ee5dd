// The emulator must report faults that a GPU would not report.
#include "tests/amd/emu/block.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/amd/emu/lane.h"
#include "tests/amd/emu/launch.h"

namespace tunehub::kernels::emu {
namespace {

using amd::Barrier;
using amd::Chunk;
using amd::ReadShared;
using amd::ThreadIndex;
using amd::WriteShared;

constexpr int kThreads = 128;

std::string CodeAfter(const std::function<void(char*)>& work, const Memory& memory = Memory({}),
                      int lds_bytes = 16 * kThreads, std::uint64_t seed = 1) {
  LaunchOptions options;
  options.seed = seed;
  const auto error = Launch({2, 1, 1}, kThreads, lds_bytes, memory, work, options);
  return error ? error->code : "";
}

Chunk Of(int value) {
  return Chunk{value, value, value, value};
}

TEST(EmuBlock, lanes_see_across_a_barrier_what_others_wrote) {
  std::vector<int> seen(kThreads);
  EXPECT_EQ(CodeAfter([&](char* lds) {
              const int lane = ThreadIndex();
              WriteShared(lds, 16 * lane, Of(lane));
              Barrier();
              seen[static_cast<std::size_t>(lane)] = ReadShared(lds, 16 * (kThreads - 1 - lane))[0];
            }),
            "");
  for (int lane = 0; lane < kThreads; ++lane) {
    EXPECT_EQ(seen[static_cast<std::size_t>(lane)], kThreads - 1 - lane);
  }
}

TEST(EmuBlock, a_missing_barrier_is_a_race_in_every_order_of_lanes) {
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    EXPECT_EQ(CodeAfter(
                  [](char* lds) {
                    WriteShared(lds, 16 * ThreadIndex(), Of(1));
                    Barrier();
                    ReadShared(lds, 16 * (ThreadIndex() ^ 1));
                    WriteShared(lds, 16 * ThreadIndex(), Of(2));
                  },
                  Memory({}), 16 * kThreads, seed),
              "race");
  }
}

TEST(EmuBlock, races_and_reading_what_nobody_wrote_and_beyond_the_end_are_reported) {
  EXPECT_EQ(CodeAfter([](char* lds) { WriteShared(lds, 16 * (ThreadIndex() / 2), Of(1)); }),
            "race");
  EXPECT_EQ(CodeAfter([](char* lds) { ReadShared(lds, 16 * ThreadIndex()); }), "out_of_bounds");
  EXPECT_EQ(CodeAfter([](char* lds) { WriteShared(lds, 16 * ThreadIndex() + 16, Of(1)); }),
            "out_of_bounds");
  EXPECT_EQ(CodeAfter([](char* lds) { WriteShared(lds, 16 * ThreadIndex() + 8, Of(1)); }),
            "out_of_bounds");
}

TEST(EmuBlock, lds_is_poisoned_for_each_block) {
  std::set<int> found;
  EXPECT_EQ(CodeAfter([&](char* lds) {
              const int lane = ThreadIndex();
              found.insert(reinterpret_cast<const int*>(lds)[4 * lane]);
              WriteShared(lds, 16 * lane, Of(5));
            }),
            "");
  EXPECT_EQ(found, std::set<int>{-1});
}

TEST(EmuBlock, a_barrier_that_some_lanes_never_reach_is_a_deadlock) {
  const auto error = Launch({1, 1, 1}, kThreads, 0, Memory({}), [](char*) {
    if (ThreadIndex() < 100) Barrier();
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, "deadlock");
  EXPECT_EQ(
      error->detail,
      "block (0, 0, 0): of 128 lanes 100 wait at a barrier, 0 at a matrix instruction, and 28 have "
      "ended");
}

TEST(EmuBlock, a_matrix_instruction_that_half_a_wave_executes_is_a_deadlock) {
  EXPECT_EQ(CodeAfter([](char*) {
              amd::Vector<float, 16> sums = {};
              constexpr amd::Spec kSpec = {{.atom = 32}, amd::Element::kBf16, {}, {}};
              if (ThreadIndex() % 2 == 0) amd::Multiply<kSpec>(Of(0), Of(0), sums);
            }),
            "deadlock");
}

TEST(EmuBlock, lanes_of_a_wave_that_execute_different_instructions_have_diverged) {
  EXPECT_EQ(CodeAfter([](char*) {
              amd::Vector<float, 16> sums = {};
              constexpr amd::Spec kInt8 = {{.atom = 32}, amd::Element::kInt8, {}, {}};
              constexpr amd::Spec kBf16 = {{.atom = 32}, amd::Element::kBf16, {}, {}};
              if (ThreadIndex() % 2 == 0) {
                amd::Multiply<kBf16>(Of(0), Of(0), sums);
              } else {
                amd::Multiply<kInt8>(Of(0), Of(0), sums);
              }
            }),
            "diverged");
}

TEST(EmuBlock, global_accesses_stay_within_the_buffers_and_inputs_are_not_written) {
  std::vector<float> in(kThreads), out(kThreads);
  const auto bytes = kThreads * sizeof(float);
  const Memory memory({{"in", reinterpret_cast<const std::byte*>(in.data()), bytes, false},
                       {"out", reinterpret_cast<const std::byte*>(out.data()), bytes, true}});
  const auto lane = [] { return static_cast<std::size_t>(ThreadIndex()); };
  EXPECT_EQ(CodeAfter([&](char*) { amd::Store(&out[lane()], amd::Load(&in[lane()])); }, memory),
            "");
  EXPECT_EQ(CodeAfter([&](char*) { amd::Load(in.data() + lane() + 1); }, memory), "out_of_bounds");
  EXPECT_EQ(CodeAfter([&](char*) { amd::Store(in.data() + lane(), 1.0F); }, memory),
            "out_of_bounds");
}

TEST(EmuBlock, the_seed_decides_the_order_of_lanes) {
  const auto order = [](std::uint64_t seed) {
    std::vector<int> lanes;
    EXPECT_EQ(CodeAfter([&](char*) { lanes.push_back(ThreadIndex()); }, Memory({}), 16, seed), "");
    return lanes;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

}  // namespace
}  // namespace tunehub::kernels::emu
