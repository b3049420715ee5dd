// How many requests of each pool one asker may send a second, and what it is told beyond that.
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

// How many requests one asker may send: a bucket of tokens for each, which fills at a rate and
// holds what comes in ten seconds, so that a burst passes and a flood does not.
class RateLimits {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr double kBurstSeconds = 10;

  // Requests a second of one asker, by kind; 0: as many as come.
  explicit RateLimits(std::vector<double> rates) : kinds_(rates.size()) {
    for (std::size_t i = 0; i < rates.size(); ++i) kinds_[i].rate = rates[i];
  }

  // Takes a token; or after how long there is one again.
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

// The settings that limit each pool's requests.
inline constexpr std::array<const char*, http::kPools> kLimitNames = {
    "limit_reads", "limit_queue", "limit_heavy_reads", "limit_writes"};

// Whom a request counts for: its key, where it has one in force, else its address.
std::string AskerOf(const Keys& keys, const http::RequestHead& head);

// 429 with Retry-After and the limit's name, where the asker has had its share. Must not block.
std::optional<http::Response> OverLimit(RateLimits& limits, http::Pool pool,
                                        const std::string& asker);

}  // namespace tunehub::server
