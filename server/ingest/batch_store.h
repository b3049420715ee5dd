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

  // Commits one batch completely or not at all; see BatchRequest.
  core::Result<BatchOutcome> Commit(const BatchRequest& request);
  // Commits several batches of one family in one transaction. Each batch gets its own row,
  // revision, receipt and audit line. The batches must share no shape key and no idempotency key,
  // and must only add results to existing runs. If a batch's answer is absent, the hub stored
  // nothing of the batch, and the caller commits it alone. An answer is absent in these cases:
  // - the hub knows the batch's idempotency key
  // - the run is missing or reverted, belongs to another owner, or already has one of the rows
  // - the batches of its API key might exceed a quota
  // - any batch fails: then all answers are absent
  std::vector<GroupAnswer> CommitTogether(const std::vector<const BatchRequest*>& requests);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
