// Writes to the registry. Every call may throw Unavailable; calls are safe from any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "server/ingest/batch_records.h"

namespace tunehub::server {

class ConnectionPool;

class BatchStore {
 public:
  explicit BatchStore(ConnectionPool& pool) : pool_(pool) {}

  // Commits one batch, all or nothing; see BatchRequest.
  core::Result<BatchOutcome> Commit(const BatchRequest& request);
  // Commits several batches of one family in one transaction. Each batch has its own row, revision,
  // receipt and audit line. The batches must share no shape key and no idempotency key, and must
  // only add results to existing runs. If an answer is absent, nothing of its batch was stored and
  // the caller commits it alone: its idempotency key is known, or its run is missing, another
  // owner's, reverted, or already has one of the rows, or its key's batches might go over a quota.
  // If one batch fails, all answers are absent.
  std::vector<GroupAnswer> CommitTogether(const std::vector<const BatchRequest*>& requests);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
