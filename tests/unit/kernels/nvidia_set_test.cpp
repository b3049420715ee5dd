// The candidates for a problem on sm_90, and their names. No kernel runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kernels/nvidia/sm90_set.h"

namespace tunehub::kernels::nvidia {
namespace {

gpu::DeviceProperties H200() {
  gpu::DeviceProperties device;
  device.api = gpu::Api::kCuda;
  device.target = {"sm_90", 132};
  return device;
}

Problem Blockscale(int m, int n, int k) {
  Problem problem;
  problem.family = "a8w8_blockscale";
  problem.a = problem.w = Format::kE4m3;
  problem.scaling = Scaling::kBlock128;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  return problem;
}

#define TUNEHUB_SKIP_WITHOUT_CODE() \
  if (AllCode().empty()) GTEST_SKIP() << "this build has no clang++-22: NOTHING WAS CHECKED"

TEST(KernelsNvidiaSet, every_row_has_its_own_name_and_fits_into_shared_memory) {
  for (const std::string_view family :
       {"a8w8", "a8w8_blockscale", "batched_a8w8", "batched_bf16", "bf16"}) {
    std::set<std::string> names;
    for (const Sm90Config& config : RowsOf(family)) {
      EXPECT_TRUE(names.insert(KernelName(family, config)).second) << KernelName(family, config);
      const GemmLayout layout{config.block_m, config.block_n, config.stages,
                              family == "a8w8_blockscale", config.transposed};
      EXPECT_LE(layout.bytes(), kMaxSharedBytes) << KernelName(family, config);
    }
    EXPECT_FALSE(names.empty());
  }
}

TEST(KernelsNvidiaSet, every_code_object_is_ptx_for_sm_90a_with_its_function) {
  TUNEHUB_SKIP_WITHOUT_CODE();
  for (const Code& code : AllCode()) {
    EXPECT_NE(code.ptx.find(".target sm_90a"), std::string_view::npos);
    EXPECT_NE(code.ptx.find(".visible .entry " + std::string(code.function)),
              std::string_view::npos);
    EXPECT_NE(code.ptx.find("wgmma.mma_async"), std::string_view::npos) << code.function;
    EXPECT_EQ(code.ptx.data()[code.ptx.size()], '\0');
  }
}

TEST(KernelsNvidiaSet, the_default_comes_first_and_k_is_sliced_where_tiles_are_few) {
  TUNEHUB_SKIP_WITHOUT_CODE();
  const Sm90Set set;
  ASSERT_TRUE(set.Serves(H200()));
  const auto candidates = set.Candidates(Blockscale(16, 1280, 5120), H200());
  ASSERT_FALSE(candidates.empty());
  EXPECT_EQ(candidates.front().kernel_id, 0);
  EXPECT_EQ(candidates.front().split_k, 0);
  const auto split = [](const Candidate& it) { return it.split_k > 1; };
  EXPECT_GT(std::ranges::count_if(candidates, split), 10);
  const auto many_tiles = set.Candidates(Blockscale(16384, 8192, 5120), H200());
  EXPECT_EQ(std::ranges::count_if(many_tiles, split), 0);
}

// A format's number in the enum differs from its index among the kernels' formats.
TEST(KernelsNvidiaSet, every_input_format_has_candidates_and_no_other_has) {
  TUNEHUB_SKIP_WITHOUT_CODE();
  const auto candidates = [](std::string family, Format format, Scaling scaling) {
    Problem problem = Blockscale(64, 5120, 2048);
    problem.family = std::move(family);
    problem.a = problem.w = format;
    problem.scaling = scaling;
    return Sm90Set().Candidates(problem, H200()).size();
  };
  EXPECT_GT(candidates("bf16", Format::kBf16, Scaling::kNone), 0U);
  EXPECT_GT(candidates("a8w8", Format::kInt8, Scaling::kRowColumn), 0U);
  EXPECT_GT(candidates("a8w8", Format::kE4m3, Scaling::kRowColumn), 0U);
  EXPECT_EQ(candidates("a8w8", Format::kE4m3Fnuz, Scaling::kRowColumn), 0U);
}

TEST(KernelsNvidiaSet, a_batch_is_offered_to_the_batched_families_and_counts_as_tiles) {
  TUNEHUB_SKIP_WITHOUT_CODE();
  Problem problem = Blockscale(64, 1024, 4096);
  problem.batch = 16;
  EXPECT_TRUE(Sm90Set().Candidates(problem, H200()).empty()) << "block scales allow only one batch";
  problem.family = "batched_bf16";
  problem.a = problem.w = Format::kBf16;
  problem.scaling = Scaling::kNone;
  const auto split = [](const Candidate& it) { return it.split_k > 1; };
  const auto of_many = Sm90Set().Candidates(problem, H200());
  ASSERT_FALSE(of_many.empty());
  EXPECT_EQ(of_many.front().kernel_name.find("tk_batched_bf16_sm90_"), 0U);
  problem.batch = 1;
  const auto of_one = Sm90Set().Candidates(problem, H200());
  EXPECT_GT(std::ranges::count_if(of_one, split), std::ranges::count_if(of_many, split))
      << "16 batches have 16 times the tiles, so splitting K only costs time";
}

TEST(KernelsNvidiaSet, a_transposed_tile_is_offered_to_few_rows_alone) {
  TUNEHUB_SKIP_WITHOUT_CODE();
  const auto transposed = [](int m) {
    const auto all = Sm90Set().Candidates(Blockscale(m, 1280, 5120), H200());
    return std::ranges::count_if(
        all, [](const Candidate& it) { return it.kernel_name.ends_with("_t") && it.split_k == 0; });
  };
  EXPECT_EQ(transposed(1), 6);
  EXPECT_EQ(transposed(64), 6);
  EXPECT_EQ(transposed(65), 4) << "without tiles of 16 rows";
  EXPECT_EQ(transposed(4096), 0);
}

TEST(KernelsNvidiaSet, what_the_copy_engine_cannot_read_is_not_offered) {
  TUNEHUB_SKIP_WITHOUT_CODE();
  const Sm90Set set;
  EXPECT_TRUE(set.Candidates(Blockscale(16, 1280, 5121), H200()).empty());
  EXPECT_TRUE(set.Candidates(Blockscale(16, 1281, 5120), H200()).empty());
  gpu::DeviceProperties other = H200();
  other.target.gfx = "sm_80";
  EXPECT_FALSE(set.Serves(other));
}

}  // namespace
}  // namespace tunehub::kernels::nvidia
