// How many requests of each pool one asker may send a second, and what it is told beyond that.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "server/http/pool.h"
#include "server/http/request.h"
#include "server/http/response.h"
#include "server/service/operations/rate_limits.h"
#include "server/service/registry/keys.h"

namespace tunehub::api {

// The settings that limit each pool's requests.
inline constexpr std::array<const char*, http::kPools> kLimitNames = {
    "limit_reads", "limit_queue", "limit_heavy_reads", "limit_writes"};

// Whom a request counts for: its key, where it has one in force, else its address.
std::string AskerOf(const service::Keys& keys, const http::RequestHead& head);

// 429 with Retry-After and the limit's name, where the asker has had its share. Must not block.
std::optional<http::Response> OverLimit(service::RateLimits& limits, http::Pool pool,
                                        const std::string& asker);

}  // namespace tunehub::api
