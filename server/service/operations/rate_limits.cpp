#include "server/service/operations/rate_limits.h"

#include <algorithm>

namespace tunehub::service {
namespace {

constexpr std::size_t kMostAskers = 65'536;  // of one kind: 8 MiB

}  // namespace

double RateLimits::TokensIn(const Bucket& bucket, double rate, Clock::time_point now) {
  const std::chrono::duration<double> passed = now - bucket.filled;
  return std::min(bucket.tokens + passed.count() * rate, rate * kBurstSeconds);
}

// A full bucket says no more than none. Where all are in use, as many addresses ask as no bucket
// helps against: all begin anew.
void RateLimits::Forget(Kind& kind, Clock::time_point now) {
  std::erase_if(kind.buckets, [&](const auto& entry) {
    return TokensIn(entry.second, kind.rate, now) >= kind.rate * kBurstSeconds;
  });
  if (kind.buckets.size() >= kMostAskers) kind.buckets.clear();
}

std::optional<std::chrono::duration<double>> RateLimits::Take(std::size_t index,
                                                              const std::string& asker,
                                                              Clock::time_point now) {
  Kind& kind = kinds_[index];
  if (kind.rate <= 0) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (kind.buckets.size() >= kMostAskers && !kind.buckets.contains(asker)) Forget(kind, now);
  const auto [entry, is_new] = kind.buckets.try_emplace(asker);
  Bucket& bucket = entry->second;
  if (is_new) bucket = {kind.rate * kBurstSeconds, now};
  bucket = {TokensIn(bucket, kind.rate, now), now};
  if (bucket.tokens < 1) return std::chrono::duration<double>((1 - bucket.tokens) / kind.rate);
  bucket.tokens -= 1;
  return std::nullopt;
}

}  // namespace tunehub::service
