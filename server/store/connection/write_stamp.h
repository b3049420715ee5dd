// What every write brings along, and what it leaves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tunehub::store {

struct WriteStamp {
  std::string kind;  // of the batch: results, import, demand, jobs
  std::int64_t api_key = 0;
  std::optional<std::string> idempotency_key;
  std::string digest;    // sha256 of body, path and query
  bool dry_run = false;  // everything is done, nothing is kept
};

struct WriteOutcome {
  std::int64_t batch = 0;
  std::string receipt;
  bool replayed = false;  // the receipt is that of the first time
};

}  // namespace tunehub::store
