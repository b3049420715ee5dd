// The rate limits of one client per pool, and the answer above them.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "server/http/message.h"
#include "server/http/pool.h"
#include "server/keys/keys.h"

namespace tunehub::server {

// A rate limit with one bucket per client (the "token bucket" algorithm). A request takes one unit
// from the bucket. The bucket fills at a constant rate and contains at most the units of ten
// seconds. So a short burst of requests passes, and a flood does not.
class RateLimits {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr double kBurstSeconds = 10;

  // Requests per second of one client, by kind; 0: no limit.
  explicit RateLimits(std::vector<double> rates) : kinds_(rates.size()) {
    for (std::size_t i = 0; i < rates.size(); ++i) kinds_[i].rate = rates[i];
  }

  // Takes one unit. If the bucket is empty, returns the time until the next unit.
  std::optional<std::chrono::duration<double>> Take(std::size_t kind, const std::string& asker,
                                                    Clock::time_point now = Clock::now());
  double rate(std::size_t kind) const { return kinds_[kind].rate; }

 private:
  struct Bucket {
    double tokens = 0;
    Clock::time_point filled;
  };
  struct Kind {
    double rate = 0;
    std::unordered_map<std::string, Bucket> buckets;  // guarded by mutex_
  };
  static double TokensIn(const Bucket& bucket, double rate, Clock::time_point now);
  static void Forget(Kind& kind, Clock::time_point now);

  std::mutex mutex_;
  std::vector<Kind> kinds_;
};

// The names of the settings that limit requests, by pool.
inline constexpr std::array<const char*, http::kRatedPools> kLimitNames = {
    "limit_reads", "limit_queue", "limit_heavy_reads", "limit_writes"};

// Returns the client for which a request counts: its API key if the key is in force, or else its
// address.
std::string AskerOf(const Keys& keys, const http::RequestHead& head);

// Returns 429 with Retry-After and the limit's name for a client above the limit. Never blocks.
std::optional<http::Response> OverLimit(RateLimits& limits, http::Pool pool,
                                        const std::string& asker);

}  // namespace tunehub::server
