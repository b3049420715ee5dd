#include "kernels/cpu/catalog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/row/cell.h"
#include "core/row/row.h"
#include "tests/support/result.h"

namespace tunehub::kernels {
namespace {

// The problem is large enough to give every thread work, for every row of a table.
Problem LargeProblem(std::string_view family) {
  Problem problem;
  problem.family = family;
  problem.m = problem.n = problem.k = 1024;
  problem.batch = family.starts_with("batched_") ? 4 : 1;
  if (family.find("a8w8") != std::string_view::npos) problem.a = problem.w = Format::kInt8;
  if (family == "fmoe") problem.moe = {1024, 1024, 1024, 8, 2, Activation::kSilu, false};
  return problem;
}

constexpr Machine kServer = {Isa::kV4, 4}, kLaptop = {Isa::kV3, 2};

TEST(KernelCatalog, names_are_unique_over_all_families_and_round_trip) {
  std::set<std::string> names;
  for (const auto family : CoveredFamilies()) {
    for (const auto& candidate : Candidates(LargeProblem(family), kServer)) {
      EXPECT_TRUE(candidate.kernel_name.starts_with(core::kOwnKernelPrefix));
      EXPECT_TRUE(names.insert(candidate.kernel_name).second) << candidate.kernel_name;
      const auto named = ParseKernelName(candidate.kernel_name);
      ASSERT_TRUE(named.has_value()) << candidate.kernel_name;
      EXPECT_EQ(named->kernel, family);
      EXPECT_EQ(KernelName(named->kernel, named->config), candidate.kernel_name);
    }
  }
  EXPECT_GT(names.size(), 60U);
}

TEST(KernelCatalog, a_name_that_is_not_exactly_one_is_none) {
  const std::string name = "tk_batched_a8w8_2x96x512x0_r6x2_nm_tn";
  ASSERT_TRUE(ParseKernelName(name).has_value());
  EXPECT_EQ(ParseKernelName(name)->kernel, "batched_a8w8");
  for (const char* wrong :
       {"", "tk_", "batched_a8w8_2x96x512x0_r6x2_nm_tn", "tk_a8w8_2x96x512_r6x2_nm_tn",
        "tk_a8w8_2x96x512x0_r6x2_nm", "tk_a8w8_2x096x512x0_r6x2_nm_tn",
        "tk_a8w8_2x96x512x0_r6x2_nm_tx", "tk_a8w8_2x96x512x0_r6x2_nn_tn",
        "tk_a8w8_2x96x512x0_r6x2x_nm_tn", "tk_a8w8_2x96x512x0_q6x2_nm_tn",
        "tk_a8w8_-2x96x512x0_r6x2_nm_tn", "tk_a8w8_2x96x512x99999999999_r6x2_nm_tn",
        "tk_a8w8_2x96x512x0__nm_tn"}) {
    EXPECT_FALSE(ParseKernelName(wrong).has_value()) << wrong;
  }
}

TEST(KernelCatalog, every_row_of_every_table_has_a_tile_in_the_newest_build) {
  for (const auto family : CoveredFamilies()) {
    std::set<int> ids;
    for (const auto& candidate : Candidates(LargeProblem(family), kServer)) {
      ids.insert(candidate.kernel_id);
    }
    EXPECT_EQ(static_cast<int>(ids.size()), *ids.rbegin() + 1) << family;
  }
}

TEST(KernelCatalog, candidates_run_on_the_machine_they_were_listed_for) {
  for (const auto family : CoveredFamilies()) {
    for (const int m : {1, 17, 1024}) {
      auto problem = LargeProblem(family);
      problem.m = m;
      const auto candidates = Candidates(problem, kLaptop);
      EXPECT_FALSE(candidates.empty());
      for (const auto& candidate : candidates) {
        EXPECT_LE(Must(ConfigOf(problem, candidate, kLaptop)).threads, 2);
      }
      const auto standard = DefaultCandidate(problem, kLaptop);
      EXPECT_EQ(std::count(candidates.begin(), candidates.end(), standard), 1) << family;
    }
  }
}

TEST(KernelCatalog,
     the_names_of_a_family_are_its_rows_and_what_a_problem_is_offered_is_among_them) {
  for (const auto family : CoveredFamilies()) {
    const auto names = Names(family, kServer);
    for (const auto& candidate : Candidates(LargeProblem(family), kServer)) {
      EXPECT_EQ(names.at(static_cast<std::size_t>(candidate.kernel_id)), candidate.kernel_name);
    }
  }
  EXPECT_TRUE(Names("no_family", kServer).empty());
}

TEST(KernelCatalog, the_fp8_of_gfx942_is_not_for_a_cpu) {
  Problem problem = LargeProblem("a8w8");
  problem.a = problem.w = Format::kE4m3;
  EXPECT_FALSE(Candidates(problem, kServer).empty());
  problem.a = problem.w = Format::kE4m3Fnuz;
  EXPECT_TRUE(Candidates(problem, kServer).empty());
}

TEST(KernelCatalog, the_default_is_one_instance_whatever_the_shape) {
  auto problem = LargeProblem("a8w8");
  const auto standard = DefaultCandidate(problem, kLaptop);
  problem.m = 1;
  problem.k = 128;
  EXPECT_EQ(DefaultCandidate(problem, kLaptop), standard);
}

TEST(KernelCatalog, small_m_has_split_k_alternatives_and_large_m_has_none) {
  auto problem = LargeProblem("a8w8");
  const auto splits = [&] {
    std::set<int> found;
    for (const auto& candidate : Candidates(problem, kLaptop)) found.insert(candidate.split_k);
    return found;
  };
  EXPECT_EQ(splits(), std::set<int>{0});
  problem.m = 1;
  problem.k = 4096;
  EXPECT_EQ(splits(), (std::set<int>{0, 2, 4}));
}

TEST(KernelCatalog, candidates_of_elsewhere_are_refused_with_the_reason) {
  const auto problem = LargeProblem("a8w8");
  const auto code = [&](const Candidate& candidate, const Machine& machine) {
    const auto config = ConfigOf(problem, candidate, machine);
    return config.ok() ? std::string("ok") : config.error().code;
  };
  auto standard = DefaultCandidate(problem, kLaptop);
  EXPECT_EQ(code(standard, kLaptop), "ok");
  EXPECT_EQ(code(standard, {Isa::kV3, 1}), "kernel_not_valid") << "two threads on one core";
  standard.kernel_id = 1;
  EXPECT_EQ(code(standard, kLaptop), "unknown_kernel") << "another row's id";
  standard.kernel_id = -1;
  EXPECT_EQ(code(standard, kLaptop), "unknown_kernel");
  EXPECT_EQ(code({"tk_bf16_2x64x256x256_r4x2_nm_tn", 0, 0}, kLaptop), "unknown_kernel");
  EXPECT_EQ(code({"a8w8_rowwise_256x128", 0, 0}, kLaptop), "unknown_kernel");
  auto split = DefaultCandidate(problem, kLaptop);
  split.split_k = 2;
  EXPECT_EQ(code(split, kLaptop), "kernel_not_valid") << "M is too large to split K";
  for (const auto& candidate : Candidates(problem, kServer)) {
    if (ParseKernelName(candidate.kernel_name)->config.tile_m == 12) {
      EXPECT_EQ(code(candidate, {Isa::kV3, 64}), "kernel_not_valid") << "24 accumulators";
    }
  }
}

TEST(KernelCatalog, this_cpu_is_a_target_that_tables_can_hold) {
  ASSERT_TRUE(BestIsa().has_value());
  const auto target = ThisCpu();
  EXPECT_TRUE(target.gfx.starts_with("cpu-x86-64-v"));
  EXPECT_EQ(core::CanonicalGfx(target.gfx), target.gfx);
  EXPECT_GE(target.cu_num, 1);
  EXPECT_GT(LastLevelCacheBytes(), 1U << 18);
}

}  // namespace
}  // namespace tunehub::kernels
