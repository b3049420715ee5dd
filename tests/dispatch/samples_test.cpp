// Samples of a GPU's workbench on a fake driver: how often it captures a graph, and what runs
// before a sample.
#include "kernels/gpu/kernel_set.h"
#include "kernels/gpu/workbench.h"
#include "kernels/nvidia/sm90_set.h"
#include "kernels/sets/gpu_sets.h"
#include "tests/dispatch/support.h"
#include "tests/support/result.h"

namespace tunehub::test {
namespace {

class GpuSamples : public testing::Test {
 protected:
  void SetUp() override {
    if (kernels::nvidia::AllCode().empty()) {
      GTEST_SKIP() << "this build has no clang++-22: NOTHING WAS CHECKED";
    }
    gpu_ = Must(kernels::gpu::OpenGpu(0, kernels::GpuSets()));
    kernels::Problem problem;
    problem.family = "a8w8_blockscale";
    problem.scaling = kernels::Scaling::kBlock128;
    problem.m = 16;
    problem.n = 1280;
    problem.k = 5120;
    problem.a = problem.w = kernels::Format::kE4m3;
    kernels::gpu::GpuWorkbenchOptions options;
    options.reference_work = 1;
    bench_.emplace(Must(kernels::gpu::GpuWorkbench::Make(problem, *gpu_.kernels, *gpu_.driver,
                                                         gpu_.device, options)));
  }
  // The number of graphs that samples of these candidates make.
  int Captures(std::size_t begin, std::size_t end, int calls) {
    const int before = Fake().uploads;
    for (std::size_t i = begin; i < end; ++i) Must(bench_->TimeMicroseconds(i, calls));
    return Fake().uploads - before;
  }

  kernels::gpu::ThisGpu gpu_;
  std::optional<kernels::gpu::GpuWorkbench> bench_;
};

// On an H100, exhaustive rounds were 1 us per call slower for shapes with more candidates than
// cached graphs.
TEST_F(GpuSamples, rounds_of_many_candidates_capture_each_once) {
  const std::size_t count = bench_->candidates().size();
  ASSERT_GT(count, 60U);
  EXPECT_EQ(Captures(0, count, 150), static_cast<int>(count));
  EXPECT_EQ(Captures(0, count, 150), 0);
}

TEST_F(GpuSamples, graphs_beyond_the_limit_drop_the_oldest_alone) {
  EXPECT_EQ(Captures(0, 60, 1000), 60);
  EXPECT_EQ(Captures(12, 60, 1000), 0) << "it must keep 48 graphs of a thousand launches";
  EXPECT_EQ(Captures(11, 12, 1000), 1);
}

TEST_F(GpuSamples, untimed_calls_lead_each_sample) {
  Captures(0, 1, 100);
  const int launches = Fake().launches;
  Captures(0, 1, 100);
  EXPECT_EQ(Fake().launches, launches + 4) << "not counting those in the graph";
  EXPECT_EQ(Captures(0, 1, 1), 0);
  EXPECT_EQ(Fake().launches, launches + 6) << "the last one is timed without a graph";
}

TEST_F(GpuSamples, the_clock_is_read_before_and_after_a_sample) {
  const int readings = Fake().clock_readings;
  Captures(0, 1, 100);
  EXPECT_EQ(bench_->sm_mhz(), 1980);
  Captures(0, 1, 1);
  EXPECT_EQ(bench_->sm_mhz(), 1980);
  EXPECT_EQ(Fake().clock_readings, readings + 4);
  Must(bench_->TimeMicroseconds(0, 1, kernels::gpu::Cache::kCold));
  EXPECT_EQ(bench_->sm_mhz(), 0) << "a cold sample mostly fills memory";
}

}  // namespace
}  // namespace tunehub::test
