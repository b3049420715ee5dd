// Metrics of answers. Routes and codes limit the number of series, whatever clients request.
#include <gmock/gmock.h>

#include <string>
#include <thread>
#include <vector>

#include "server/ops/metrics.h"

namespace tunehub::server {
namespace {

std::vector<std::string> NamesOf(const std::vector<Figures::Sample>& samples) {
  std::vector<std::string> names;
  for (const auto& it : samples) {
    names.push_back(it.labels.at("method") + " " + it.labels.at("route") + " " +
                    it.labels.at("code"));
  }
  return names;
}

TEST(RequestTimes, what_has_no_route_or_no_known_status_is_other) {
  RequestTimes times;
  times.Name({{"GET", "/tuned/{family}"}, {"POST", "/runs"}});
  for (int route = -3; route < 100; ++route) {
    for (int status = 0; status < 700; ++status) times.Observe(route, status, 0.1, 0, 0);
  }
  std::vector<Figures::Sample> samples;
  times.Times(samples);
  EXPECT_EQ(samples.size(), 3U * 26U);  // 3 routes, 26 statuses
  EXPECT_THAT(NamesOf(samples), testing::IsSupersetOf({"GET /tuned/{family} 200", "POST /runs 422",
                                                       "other other 404", "other other other"}));
}

TEST(RequestTimesRace, threads_that_make_the_same_series_count_in_one) {
  RequestTimes times;
  times.Name({{"GET", "/"}});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int status = 200; status < 600; ++status) times.Observe(0, status, 0, 1, 1);
    });
  }
  std::vector<Figures::Sample> samples;
  for (int i = 0; i < 50; ++i) times.Times(samples);
  for (std::thread& thread : threads) thread.join();
  samples.clear();
  times.Times(samples);
  std::uint64_t count = 0;
  for (const auto& it : samples) count += it.histogram.counts[0];
  EXPECT_EQ(count, 4U * 400U);
}

}  // namespace
}  // namespace tunehub::server
