// What a batch says against candidates that earlier runs measured.
#pragma once

#include <cstdint>
#include <pqxx/pqxx>

#include "server/store/ingest/batch.h"

namespace tunehub::store {

// A batch's run, as it orders rows of one candidate, and where the ids of its rows begin.
struct Objector {
  std::string run_hash;       // as uuid
  std::int64_t run_time = 0;  // microseconds since 1970
  std::int64_t first_id = 0;
};

// Sets outcome.withdrawn, to what may go. Before the staged rows become candidates.
void FindAccused(pqxx::work& transaction, const BatchRequest& request, const Objector& objector,
                 BatchOutcome& outcome);
// Sets outcome.in_doubt, leaves in outcome.withdrawn what has gone, and plans jobs for what no
// earlier row has put in doubt. Once the candidates are what they will be.
void PlanDoubts(pqxx::work& transaction, const BatchRequest& request, const Objector& objector,
                BatchOutcome& outcome);

}  // namespace tunehub::store
