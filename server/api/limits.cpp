#include "server/api/limits.h"

#include <fmt/core.h>

#include <cmath>

#include "server/api/admission.h"
#include "server/service/operations/refused_for.h"

namespace tunehub::api {

std::string AskerOf(const service::Keys& keys, const http::RequestHead& head) {
  if (const auto key = KeyOf(keys, head)) return fmt::format("key {}", *key);
  return head.client;
}

std::optional<http::Response> OverLimit(service::RateLimits& limits, http::Pool pool,
                                        const std::string& asker) {
  const auto kind = static_cast<std::size_t>(pool);
  const auto pause = limits.Take(kind, asker);
  if (!pause) return std::nullopt;
  http::Response response = http::Problem(
      429, "too_many_requests",
      fmt::format("{} asks for more than this server's {} of {} requests a second for one key or "
                  "address; send the same again after Retry-After.",
                  asker, kLimitNames[kind], limits.rate(kind)),
      fmt::format(R"("limit":"{}")", kLimitNames[kind]));
  response.headers.emplace_back("Retry-After", fmt::format("{:.0f}", std::ceil(pause->count())));
  response.refusal = static_cast<int>(service::kRateRefusals[kind]);
  return response;
}

}  // namespace tunehub::api
