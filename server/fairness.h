// The settings that keep one client from having what all need.
#pragma once

#include <array>
#include <cstddef>

#include "server/http/pool.h"

namespace tunehub::server {

struct Fairness {
  std::array<unsigned, http::kPools> workers = {};  // threads, by pool
  std::array<double, http::kPools> limits =
      {};  // requests a second of one key or address; 0: no limit
};

// Of each pool, in the order of http::Pool; the limits' names are api::kLimitNames.
inline constexpr std::array<const char*, http::kPools> kWorkerSettings = {
    "read_workers", "queue_workers", "heavy_workers", "workers"};

}  // namespace tunehub::server
