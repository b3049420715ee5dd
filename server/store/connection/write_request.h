// What a caller says about a write, and what the store did with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tunehub::store {

struct WriteRequest {
  std::int64_t api_key = 0;
  std::optional<std::string> idempotency_key;
  std::string digest;    // sha256 of decoded body, path and query
  bool atomic = false;   // one rejected row fails the whole
  bool dry_run = false;  // everything is done, nothing is kept
};

struct WriteOutcome {
  std::int64_t batch = 0;
  std::string receipt;    // JSON
  bool replayed = false;  // the idempotency key was known: `receipt` is the first one
};

}  // namespace tunehub::store
