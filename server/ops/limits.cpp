#include "server/ops/limits.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "server/answers/problems.h"
#include "server/keys/admission.h"

namespace tunehub::server {
namespace {

constexpr std::size_t kMostAskers = 65'536;  // buckets of one kind: 8 MiB

}  // namespace

double RateLimits::TokensIn(const Bucket& bucket, double rate, Clock::time_point now) {
  const std::chrono::duration<double> passed = now - bucket.filled;
  return std::min(bucket.tokens + passed.count() * rate, rate * kBurstSeconds);
}

// Removes full buckets, because a missing bucket counts as full. If too many buckets are in use,
// drops all of them, because they do not help against so many addresses.
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

std::string AskerOf(const Keys& keys, const http::RequestHead& head) {
  if (const auto key = KeyOf(keys, head)) return fmt::format("key {}", *key);
  return head.client;
}

std::optional<http::Response> OverLimit(RateLimits& limits, http::Pool pool,
                                        const std::string& asker) {
  const auto kind = static_cast<std::size_t>(pool);
  const auto pause = limits.Take(kind, asker);
  if (!pause) return std::nullopt;
  http::Response response =
      http::Problem(429, "too_many_requests",
                    fmt::format("{} exceeds this server's {}, {} requests a second for one key or "
                                "address. Send the same request again after Retry-After.",
                                asker, kLimitNames[kind], limits.rate(kind)),
                    fmt::format(R"("limit":"{}")", kLimitNames[kind]));
  response.headers.emplace_back("Retry-After", fmt::format("{:.0f}", std::ceil(pause->count())));
  response.refusal = static_cast<int>(kRateRefusals[kind]);
  return response;
}

}  // namespace tunehub::server
