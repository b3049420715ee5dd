// The interval of a median, by order statistics.
#include <gtest/gtest.h>

#include <random>

#include "core/analysis/statistics.h"
#include "tests/support/result.h"

namespace tunehub::analysis {
namespace {

std::vector<double> UpTo(std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = count; i > 0; --i) values.push_back(static_cast<double>(i));
  return values;
}

// The ranks from tables of the sign test.
TEST(MedianIntervals, lie_between_the_ranks_of_the_sign_test) {
  EXPECT_FALSE(MedianInterval(UpTo(5)));
  const std::pair<std::size_t, double> lows[] = {{6, 1}, {9, 2}, {20, 6}, {40, 14}, {100, 40}};
  for (const auto& [count, low] : lows) {
    const Interval interval = MedianInterval(UpTo(count)).value_or(Interval());
    EXPECT_EQ(interval.low, low) << count;
    EXPECT_EQ(interval.high, static_cast<double>(count) + 1 - low) << count;
  }
  EXPECT_NEAR(MedianInterval(UpTo(10'000))->low, 4902, 2) << "no probability underflows";
}

TEST(MedianIntervals, contain_the_median_of_skewed_samples_as_often_as_they_say) {
  std::mt19937 random(1);
  std::exponential_distribution<double> skewed(1);
  int inside = 0;
  constexpr int kTrials = 2000;
  for (int i = 0; i < kTrials; ++i) {
    std::vector<double> samples(20);
    for (double& it : samples) it = skewed(random);
    const Interval interval = *MedianInterval(samples);
    inside += interval.low <= std::log(2.0) && std::log(2.0) <= interval.high ? 1 : 0;
  }
  EXPECT_GE(inside, kTrials * 0.95) << "the expected share is 95.9 %";
  EXPECT_LE(inside, kTrials * 0.975);
}

}  // namespace
}  // namespace tunehub::analysis
