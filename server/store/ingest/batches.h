// Writes to the registry. Every call may throw Unavailable; calls are safe from any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/result.h"
#include "server/store/ingest/batch.h"

namespace tunehub::store {

class ConnectionPool;

class BatchStore {
 public:
  explicit BatchStore(ConnectionPool& pool) : pool_(pool) {}

  // One batch, all or nothing, in one transaction; see BatchRequest.
  core::Result<BatchOutcome> Commit(const BatchRequest& request);
  // Stores that an import has what the import in force of its source has, and nothing else; absent
  // where it may have something else.
  core::Result<std::optional<BatchOutcome>> Repeat(const RepeatRequest& request);
  // What the sender of an import found, by its digest; "": nothing is known.
  std::string SentReport(const std::string& digest);
  // Takes a run out of the competition. Errors: unknown_run, already_reverted, not_owner,
  // key_limited.
  core::Result<RevertOutcome> Revert(std::int64_t run, const Writer& by);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::store
