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

  // One batch, all or nothing; see BatchRequest.
  core::Result<BatchOutcome> Commit(const BatchRequest& request);
  // Several of one family in one transaction, in as many statements as one batch has. Each keeps
  // what it would have alone: its row, its revision, its receipt, its line in the audit. They have
  // no key of a row in common, nor an idempotency key, and results of known runs that say nothing
  // against earlier rows. No answer, and nothing done, for a batch that must go alone: its
  // idempotency key is known, its run is not there, is another's, was reverted or has the rows
  // already; and for all of them where the transaction finds that one of them fails.
  std::vector<GroupAnswer> CommitTogether(const std::vector<const BatchRequest*>& requests);
  // Stores that an import, by its `content`, has what the import in force of its source has, and
  // nothing else; absent where it may have something else. No dry run. `render`: what of the
  // receipt of the import in force is another one now, a JSON merge patch.
  core::Result<std::optional<BatchOutcome>> Repeat(
      const BatchRequest& request, const std::function<std::string(const BatchOutcome&)>& render);
  // Takes a run out of the competition. Errors: unknown_run, already_reverted, not_owner,
  // key_limited. A dry run changes nothing, and answers what would change; its batch and revision
  // are none that anybody will see.
  core::Result<RevertOutcome> Revert(std::int64_t run, const Writer& by, bool dry_run = false,
                                     bool allow_shrink = false);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
