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
  // Commits several batches of one family in one transaction; each statement stores all.
  // Each has its own row, revision, receipt and audit line. The batches share no shape key and no
  // idempotency key, and only add results to existing runs. An absent answer means: commit the
  // batch alone, nothing was stored. Its idempotency key is known, or its run is missing, another
  // owner's, reverted or already has the rows. All answers are absent if one batch fails.
  std::vector<GroupAnswer> CommitTogether(const std::vector<const BatchRequest*>& requests);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
