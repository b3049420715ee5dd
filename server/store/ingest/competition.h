// The staged rows of a batch among what was measured before: which keys are new, which are
// contested, which lose what a source no longer has.
#pragma once

#include <cstdint>
#include <pqxx/pqxx>

#include "core/base/result.h"
#include "server/store/ingest/batch.h"
#include "server/store/ingest/run_records.h"
#include "server/store/ingest/sources.h"
#include "server/store/ingest/stage.h"

namespace tunehub::store {

// An import of a source, as it found the source.
struct Imported {
  Source source;
  Known known;
};

// Fills what `outcome` says of won and changed keys, withdrawn candidates and doubts. `imported`:
// null where the batch is no import of a source; else that comes into force. `first_id`: of the
// batch's measurements. Error key_collision.
core::Status Compete(pqxx::work& transaction, const BatchRequest& request, const RunRecord& run,
                     StagedBatch& staged, const Imported* imported, std::int64_t first_id,
                     BatchOutcome& outcome);

}  // namespace tunehub::store
