// Writes to the registry. Every call may throw Unavailable; calls are safe from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
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
  // Commits several batches of one family in one transaction, with the statements of one batch.
  // Each has its own row, revision, receipt and audit line. The batches share no shape key and no
  // idempotency key, and only add results to existing runs. An absent answer means: commit the
  // batch alone, nothing was stored. Its idempotency key is known, or its run is missing, another
  // owner's, reverted or already has the rows. All answers are absent if one batch fails.
  std::vector<GroupAnswer> CommitTogether(const std::vector<const BatchRequest*>& requests);
  // Records that an import has the same `content` as the import in force of its source. Absent: it
  // may differ. Not for dry runs. `render`: the changes to the earlier receipt, as a JSON merge
  // patch.
  core::Result<std::optional<BatchOutcome>> Repeat(
      const BatchRequest& request, const std::function<std::string(const BatchOutcome&)>& render);
  // Takes a run out of the competition. Errors: unknown_run, already_reverted, not_owner,
  // key_limited. A dry run only answers the changes; its batch and revision are never stored.
  core::Result<RevertOutcome> Revert(std::int64_t run, const Writer& by, bool dry_run = false,
                                     bool allow_shrink = false);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
