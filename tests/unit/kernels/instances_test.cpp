// Compares every instance of every family with the reference, in every build that this CPU runs.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/cpu/workbench.h"
#include "tests/support/result.h"

namespace tunehub::kernels {
namespace {

struct Shape {
  std::string name;
  int m, n, k;
};

// The shapes are small because every instance runs each shape. They end inside tiles, panels and
// blocks.
const std::vector<Shape> kShapes = {
    {"aligned", 48, 96, 512},
    {"ragged_m", 13, 96, 512},
    {"ragged_everything", 7, 75, 416},
    {"one_row", 1, 64, 1024},
};

Problem ProblemOf(std::string_view family, const Shape& shape, int batch) {
  Problem problem;
  problem.family = family;
  problem.batch = batch;
  problem.m = shape.m;
  problem.n = shape.n;
  problem.k = shape.k;
  return problem;
}

// Problems of each family in each of its formats.
std::vector<Problem> GemmProblems(const Shape& shape) {
  std::vector<Problem> problems;
  const auto add = [&](std::string_view family, Format format, Scaling scaling, int batch,
                       Format out = Format::kBf16) {
    auto problem = ProblemOf(family, shape, batch);
    problem.a = problem.w = format;
    problem.scaling = scaling;
    problem.out = out;
    problems.push_back(problem);
  };
  add("a8w8", Format::kInt8, Scaling::kRowColumn, 1);
  add("a8w8", Format::kE4m3, Scaling::kRowColumn, 1);
  add("a8w8_blockscale", Format::kE4m3, Scaling::kBlock128, 1);
  add("bf16", Format::kBf16, Scaling::kNone, 1);
  add("bf16", Format::kBf16, Scaling::kNone, 1, Format::kF32);
  add("batched_a8w8", Format::kInt8, Scaling::kRowColumn, 3);
  add("batched_bf16", Format::kBf16, Scaling::kNone, 3);
  add("a4w4_blockscale", Format::kE2m1, Scaling::kMx32, 1);
  return problems;
}

WorkbenchOptions OneSet(Isa isa) {
  return {.machine = {isa, 2}, .rotating_bytes = 1, .around_run = {}};
}

class KernelInstances : public testing::TestWithParam<Isa> {};

Problem MoeProblem(Format format, const MoeShape& moe) {
  Problem problem = ProblemOf("fmoe", {"", moe.tokens, moe.model_dim, moe.inter_dim}, 1);
  problem.a = problem.w = format;
  problem.scaling = format == Format::kE4m3 ? Scaling::kRowColumn : Scaling::kNone;
  problem.moe = moe;
  return problem;
}

TEST_P(KernelInstances, of_fused_moe_compute_what_the_reference_says) {
  if (!Runs(GetParam())) GTEST_SKIP() << "this CPU does not run " << NameOf(GetParam());
  for (const auto format : {Format::kBf16, Format::kE4m3}) {
    for (const auto activation : {Activation::kSilu, Activation::kGelu}) {
      for (const bool early : {false, true}) {
        // The second shape leaves experts without a token.
        for (const MoeShape& moe : {MoeShape{19, 96, 72, 4, 2, activation, early},
                                    MoeShape{1, 128, 64, 8, 3, activation, early}}) {
          const auto problem = MoeProblem(format, moe);
          auto bench = Must(Workbench::Make(problem, OneSet(GetParam())));
          for (const auto& candidate : Candidates(problem, bench.machine())) {
            const auto check = Must(bench.Verify(candidate));
            EXPECT_TRUE(check.ok(0.0)) << candidate.kernel_name << ": " << check.err_ratio
                                       << " wrong, Frobenius " << check.frobenius;
          }
        }
      }
    }
  }
}

TEST(KernelWorkbench, the_same_seed_gives_the_same_output_and_another_seed_another) {
  const auto problem = GemmProblems(kShapes.front()).front();
  const auto output = [&](std::uint64_t seed) {
    std::vector<std::byte> bytes;
    auto options = OneSet(Isa::kV2);
    options.seed = seed;
    options.around_run = [&](const auto& run, std::span<std::byte> written) {
      run();
      bytes.assign(written.begin(), written.end());
    };
    auto bench = Workbench::Make(problem, options);
    EXPECT_TRUE(bench->Verify(DefaultCandidate(problem, bench->machine())).ok());
    return bytes;
  };
  EXPECT_EQ(output(1), output(1));
  EXPECT_NE(output(1), output(2));
}

TEST(KernelWorkbench, rotates_inputs_that_together_exceed_the_cache) {
  const auto problem = GemmProblems(kShapes.front()).front();
  auto options = OneSet(Isa::kV2);
  options.rotating_bytes = std::size_t{1} << 20;
  auto bench = Must(Workbench::Make(problem, options));
  // One set of inputs, A and W, has 48 x 512 and 96 x 512 bytes.
  EXPECT_GE(bench.input_sets(), 10U);
  EXPECT_GT(bench.TimeMicroseconds(DefaultCandidate(problem, bench.machine()), 20), 0);
}

TEST(KernelWorkbench, checks_some_rows_where_all_would_take_too_long) {
  auto problem = ProblemOf("bf16", {"", 256, 128, 128}, 1);
  auto options = OneSet(Isa::kV2);
  options.reference_work = 10 * 128 * 128;
  auto bench = Must(Workbench::Make(problem, options));
  EXPECT_EQ(bench.checked_rows(), 10U);
  EXPECT_TRUE(bench.Verify(DefaultCandidate(problem, bench.machine()))->ok(0));
}

TEST_P(KernelInstances, compute_what_the_reference_says) {
  if (!Runs(GetParam())) GTEST_SKIP() << "this CPU does not run " << NameOf(GetParam());
  int ran = 0;
  for (const auto& shape : kShapes) {
    for (const auto& problem : GemmProblems(shape)) {
      auto bench = Must(Workbench::Make(problem, OneSet(GetParam())));
      ASSERT_EQ(bench.checked_rows(), static_cast<std::size_t>(problem.batch * problem.m));
      for (const auto& candidate : Candidates(problem, bench.machine())) {
        const auto check = Must(bench.Verify(candidate));
        EXPECT_TRUE(check.ok(0.0))
            << problem.family << " " << shape.name << " " << candidate.kernel_name << " splitK "
            << candidate.split_k << ": " << check.err_ratio << " wrong, Frobenius "
            << check.frobenius << ", largest delta " << check.max_delta;
        ++ran;
      }
    }
  }
  EXPECT_GT(ran, 200);
}

INSTANTIATE_TEST_SUITE_P(builds, KernelInstances, testing::Values(Isa::kV2, Isa::kV3, Isa::kV4),
                         [](const auto& instance) {
                           return "v" + std::to_string(static_cast<int>(instance.param) + 2);
                         });

}  // namespace
}  // namespace tunehub::kernels
