// Creates runs before their results, lists them, and reverts them. Every call may throw
// Unavailable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "server/db/connection_pool.h"
#include "server/db/writer.h"
#include "server/ingest/batch_records.h"
#include "server/ingest/run_store.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

// The limit for a run's JSON: the body of POST /runs, and run.json in an import.
inline constexpr std::size_t kMaxRunBytes = 64 * 1024;

// The run's hash does not depend on the order of members. Errors: too_large; bad_json; bad_run,
// with the member.
core::Result<RunContent> ReadRun(std::string_view body);

// Returns the run that a batch creates for its own rows, with the description `about`. It never
// equals another run, even with the same `about`.
RunContent RunOfRequest(const WriteRequest& write, std::optional<RunContent> about = {});

struct RunWithBatches {
  RunRecord run;
  std::vector<BatchRecord> batches;
  std::vector<RepeatedRun> repeated;  // runs with stored rows that this run repeats
};

class Runs {
 public:
  Runs(ConnectionPool& pool, Snapshots& snapshots)
      : store(pool), pool_(pool), snapshots_(snapshots) {}

  // `created` is false if the same owner already has a run with the same content.
  core::Result<RunRecord> Create(RunContent content, const Writer& by, bool& created);
  // Errors: unknown_run.
  core::Result<RunWithBatches> Find(std::int64_t id) const;
  // Reverts the run, so that its rows no longer compete. A dry run only returns the changes.
  // Errors: unknown_run, already_reverted, not_owner, key_limited.
  core::Result<RevertOutcome> Revert(std::int64_t id, const Writer& by, bool dry_run,
                                     bool allow_shrink);
  // Accepts a run's unconfirmed rows. Errors: unknown_run, already_reverted, over_quota.
  core::Result<AcceptOutcome> Accept(std::int64_t id, const Writer& by, bool dry_run);

  RunStore store;

 private:
  ConnectionPool& pool_;
  Snapshots& snapshots_;
};

}  // namespace tunehub::server
