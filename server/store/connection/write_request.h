// What a caller says about a write, and what the store did with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/store/connection/writer.h"

namespace tunehub::store {

struct WriteRequest : Writer {
  std::optional<std::string> idempotency_key;
  std::string digest;         // sha256 of decoded body, path and query
  bool atomic = false;        // one rejected row fails the whole
  bool dry_run = false;       // everything is done, nothing is kept
  bool allow_shrink = false;  // an import may withdraw much of its source
};

struct WriteOutcome {
  std::int64_t batch = 0;
  std::string receipt;    // JSON
  bool replayed = false;  // the idempotency key was known: `receipt` is the first one
};

}  // namespace tunehub::store
