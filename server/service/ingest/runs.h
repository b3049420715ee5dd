// Runs: announced before their results, listed, taken back. Every call may throw Unavailable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "server/service/registry/snapshots.h"
#include "server/store/store.h"

namespace tunehub::service {

// The store's own structs: nothing is to be added to them.
using store::BatchRecord;
using store::RepeatedRun;
using store::RevertOutcome;
using store::RunContent;
using store::RunRecord;
using store::RunTally;

struct RunWithBatches {
  RunRecord run;
  std::vector<BatchRecord> batches;
  std::vector<RepeatedRun> repeated;  // runs whose rows it has beside its own
};

class Runs {
 public:
  Runs(store::Store& store, Snapshots& snapshots) : store_(store), snapshots_(snapshots) {}

  // The same content of the same owner is the same run: `created` is false.
  RunRecord Create(RunContent content, const store::Writer& by, bool& created);
  // The newest first.
  std::vector<RunRecord> List(std::int64_t before_id, std::size_t limit) const;
  // Error unknown_run.
  core::Result<RunWithBatches> Find(std::int64_t id) const;
  // By their ids; a run without batches is not in it.
  std::map<std::int64_t, RunTally> Count(const std::vector<RunRecord>& runs) const;
  // As store::RunStore's.
  std::vector<RunRecord> Search(std::int64_t id, const std::string& text, std::size_t limit) const;
  // Takes a run out of the competition; a dry run says what that would change. Errors: unknown_run,
  // already_reverted, not_owner, key_limited.
  core::Result<RevertOutcome> Revert(std::int64_t id, const store::Writer& by, bool dry_run,
                                     bool allow_shrink);

 private:
  store::Store& store_;
  Snapshots& snapshots_;
};

}  // namespace tunehub::service
