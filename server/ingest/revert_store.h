// Takes a run out of the competition, or accepts its unconfirmed rows.
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "server/db/connection_pool.h"
#include "server/db/writer.h"
#include "server/ingest/batch_records.h"

namespace tunehub::server {

// Errors: unknown_run, already_reverted, not_owner, key_limited. A dry run changes nothing and
// returns the changes that a revert would make. Then the numbers of the batch and the revision have
// no meaning. Throws Unavailable.
core::Result<RevertOutcome> RevertRun(ConnectionPool& pool, std::int64_t run, const Writer& by,
                                      bool dry_run = false, bool allow_shrink = false);

// Accepts the run's unconfirmed rows: they no longer need a confirmation. Errors: unknown_run,
// already_reverted, over_quota. A dry run works as in RevertRun.
core::Result<AcceptOutcome> AcceptRun(ConnectionPool& pool, std::int64_t run, const Writer& by,
                                      bool dry_run = false);

}  // namespace tunehub::server
