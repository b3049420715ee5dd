// Every instance of every family, in every build that this CPU runs, against the reference.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/workbench.h"

namespace tunehub::kernels {
namespace {

struct Shape {
  std::string name;
  int m, n, k;
};

// Small, because every instance runs on each: what matters is where tiles, panels and blocks end.
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

// Each family with the formats it has.
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
  WorkbenchOptions options;
  options.machine = {isa, 2};
  options.rotating_bytes = 1;
  return options;
}

class KernelInstances : public testing::TestWithParam<Isa> {};

TEST_P(KernelInstances, compute_what_the_reference_says) {
  if (!Runs(GetParam())) GTEST_SKIP() << "this CPU does not run " << NameOf(GetParam());
  int ran = 0;
  for (const auto& shape : kShapes) {
    for (const auto& problem : GemmProblems(shape)) {
      auto bench = Workbench::Make(problem, OneSet(GetParam()));
      ASSERT_TRUE(bench.ok()) << bench.error().detail;
      ASSERT_EQ(bench->checked_rows(), static_cast<std::size_t>(problem.batch * problem.m));
      for (const auto& candidate : Candidates(problem, bench->machine())) {
        const auto check = bench->Verify(candidate);
        ASSERT_TRUE(check.ok()) << check.error().detail;
        EXPECT_TRUE(check->ok(0.0))
            << problem.family << " " << shape.name << " " << candidate.kernel_name << " splitK "
            << candidate.split_k << ": " << check->err_ratio << " wrong, Frobenius "
            << check->frobenius << ", largest delta " << check->max_delta;
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
