// Writes to the registry. Every call may throw Unavailable; calls are safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "server/ingest/batch_records.h"
#include "server/ingest/stage_store.h"

namespace tunehub::server {

class ConnectionPool;

// A server has one of it: batches of a family wait in it for one another.
class BatchStore {
 public:
  explicit BatchStore(ConnectionPool& pool) : pool_(pool) {}

  // One batch, all or nothing; see BatchRequest. Batches that wait for the same family may share a
  // transaction (group_store.h).
  core::Result<BatchOutcome> Commit(const BatchRequest& request);
  // Batches that wait for others of their family to be committed.
  std::size_t waiting() const { return lines_.waiting(); }
  // Stores that an import has what the import in force of its source has, and nothing else; absent
  // where it may have something else.
  core::Result<std::optional<BatchOutcome>> Repeat(const RepeatRequest& request);
  // Takes a run out of the competition. Errors: unknown_run, already_reverted, not_owner,
  // key_limited. A dry run changes nothing, and answers what would change; its batch and revision
  // are none that anybody will see.
  core::Result<RevertOutcome> Revert(std::int64_t run, const Writer& by, bool dry_run = false,
                                     bool allow_shrink = false);

 private:
  core::Result<BatchOutcome> CommitAlone(const BatchRequest& request);
  std::vector<GroupAnswer> CommitTogether(const std::vector<const BatchRequest*>& requests);

  ConnectionPool& pool_;
  BatchLines lines_;
};

}  // namespace tunehub::server
