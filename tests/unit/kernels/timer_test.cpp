#include "kernels/timer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace tunehub::kernels {
namespace {

// A clock that advances only with the timed work.
struct FakeTime {
  double us = 0;

  Timer timer() {
    return Timer([this] { return us; });
  }
  TimedCall Taking(double each) {
    return [this, each](int) { us += each; };
  }
};

TEST(KernelTimer, the_median_is_not_moved_by_an_outlier_and_the_pulse_takes_time) {
  const TimeSamples samples = {{10, 12, 11, 500, 9}};
  EXPECT_EQ(samples.median(), 11);
  EXPECT_EQ((TimeSamples{{4, 1, 3, 2}}).median(), 2.5);
  EXPECT_TRUE(std::isnan(TimeSamples().median()));
  EXPECT_GT(PulseUs(), 1);
}

TEST(KernelTimer, times_one_call_whatever_a_sample_holds) {
  FakeTime time;
  const auto samples = time.timer().Measure(time.Taking(3), {.samples = 7, .min_sample_us = 100});
  EXPECT_EQ(samples.us, std::vector<double>(7, 3.0));
}

TEST(KernelTimer, makes_a_sample_long_enough) {
  FakeTime time;
  int calls = 0;
  const double before = time.us;
  time.timer().Measure(
      [&](int) {
        ++calls;
        time.us += 1;
      },
      {.warmup_calls = 0, .samples = 1, .min_sample_us = 1000});
  EXPECT_GE(calls, 2000) << "1,000 calls to calibrate, 1,000 for the sample";
  EXPECT_LT(time.us - before, 10'000);
}

TEST(KernelTimer, a_clock_that_does_not_move_ends_at_the_limit_of_calls) {
  const auto samples =
      Timer([] { return 0.0; }).Measure([](int) {}, {.samples = 1, .max_calls_per_sample = 50});
  EXPECT_EQ(samples.us, std::vector<double>{0.0});
}

TEST(KernelTimer, interleaves_candidates_round_by_round) {
  FakeTime time;
  std::string order;
  const auto launch = [&](char name, double us) {
    return [&order, &time, name, us](int) {
      order += name;
      time.us += us;
    };
  };
  const auto samples = time.timer().MeasureInterleaved(
      {launch('a', 2), launch('b', 5)}, {.warmup_calls = 1, .samples = 3, .min_sample_us = 0});
  EXPECT_TRUE(order.ends_with("ababab")) << order;
  EXPECT_EQ(samples[0].us, std::vector<double>(3, 2.0));
  EXPECT_EQ(samples[1].us, std::vector<double>(3, 5.0));
}

TEST(KernelTimer, calls_count_up_so_that_inputs_can_rotate) {
  FakeTime time;
  std::vector<int> calls;
  time.timer().Measure(
      [&](int call) { calls.push_back(call); },
      {.warmup_calls = 0, .samples = 2, .calls_per_sample = 3, .min_sample_us = 0});
  const std::vector<int> last_six(calls.end() - 6, calls.end());
  EXPECT_EQ(last_six, (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace tunehub::kernels
