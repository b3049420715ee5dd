// The staged rows of a batch among what was measured before: which keys are new, which are
// contested, which lose what a source no longer has.
#pragma once

#include <cstdint>
#include <pqxx/pqxx>

#include "core/base/result.h"
#include "server/store/ingest/batch.h"
#include "server/store/ingest/run_records.h"
#include "server/store/ingest/stage.h"

namespace tunehub::store {

// Fills what `outcome` says of won and changed keys, withdrawn candidates and doubts. `first_id`:
// of the batch's measurements. Errors: key_collision, and why the batch may be incomplete.
core::Status Compete(pqxx::work& transaction, const BatchRequest& request, const RunRecord& run,
                     StagedBatch& staged, std::int64_t first_id, BatchOutcome& outcome);

}  // namespace tunehub::store
