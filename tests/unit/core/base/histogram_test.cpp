#include "core/base/histogram.h"

#include <gmock/gmock.h>

#include <thread>
#include <vector>

namespace tunehub::core {
namespace {

constexpr double kBounds[] = {1, 10};

TEST(Histogram, a_value_counts_in_the_first_bucket_that_is_no_smaller) {
  Histogram histogram(kBounds);
  for (const double value : {0.5, 1.0, 1.5, 10.0, 11.0}) histogram.Observe(value);
  const HistogramReading reading = histogram.Read();
  EXPECT_THAT(reading.bounds, testing::ElementsAre(1, 10));
  EXPECT_THAT(reading.counts, testing::ElementsAre(2, 2, 1));
  EXPECT_DOUBLE_EQ(reading.sum, 24);
}

TEST(HistogramRace, no_value_is_lost_that_threads_count_beside_readings) {
  constexpr int kEach = 20'000;
  Histogram histogram(kBounds);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < kEach; ++j) histogram.Observe(2);
    });
  }
  for (int i = 0; i < 100; ++i) EXPECT_LE(histogram.Read().counts[1], 3U * kEach);
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(histogram.Read().counts, testing::ElementsAre(0, 3 * kEach, 0));
  EXPECT_DOUBLE_EQ(histogram.Read().sum, 6.0 * kEach);
}

TEST(Histogram, a_stopwatch_counts_the_seconds_that_it_lived) {
  Histogram histogram(kBounds);
  { const Stopwatch stopwatch(histogram); }
  EXPECT_THAT(histogram.Read().counts, testing::ElementsAre(1, 0, 0));
}

}  // namespace
}  // namespace tunehub::core
