// The settings that keep one client from having what all need.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

#include "server/http/address.h"
#include "server/http/pool.h"

namespace tunehub::server {

struct Fairness {
  std::array<unsigned, http::kPools> workers = {};  // threads, by pool
  std::size_t connections = 0;                      // all together
  std::size_t client_share = 0;                     // percent of what others leave
  std::size_t bodies_bytes = 0;                     // of requests on their way
  std::size_t answers_bytes = 0;                    // of answers on their way
  std::chrono::milliseconds answer_deadline{0};
  http::TrustedProxies proxies;
  std::array<double, http::kPools> limits =
      {};  // requests a second of one key or address; 0: no limit
};

// Of each pool, in the order of http::Pool; the limits' names are api::kLimitNames.
inline constexpr std::array<const char*, http::kPools> kWorkerSettings = {
    "read_workers", "queue_workers", "heavy_workers", "workers"};

struct SettingHelp {
  const char* name;
  const char* help;
};

// For --help.
inline constexpr SettingHelp kFairnessSettings[] = {
    {"workers", "threads for writes (5)"},
    {"read_workers", "threads for short reads (2)"},
    {"queue_workers", "threads for agents' signs of life (3)"},
    {"heavy_workers", "threads for reads that compute (3)"},
    {"connections", "at most so many together (8192, or what the limit of open files allows)"},
    {"client_share_percent",
     "one address's most of connections and memory, in percent of what others leave (50)"},
    {"bodies_mib", "memory for uploads on their way (256)"},
    {"answers_mib", "memory for answers on their way (128)"},
    {"answer_deadline_ms", "who takes less than 16 KiB a second for so long is closed (15000)"},
    {"trusted_proxies",
     "addresses, as 10.0.0.0/8, whose word on where requests come from is taken"},
    {"proxy_header", "where they say it: x-forwarded-for, or forwarded"},
    {"limit_reads", "short reads a second of one key or address; 0: no limit (2000)"},
    {"limit_heavy_reads", "the same for reads that compute (200)"},
    {"limit_queue", "the same for agents' signs of life (5000)"},
    {"limit_writes", "the same for writes (5000)"},
};

}  // namespace tunehub::server
