// What a batch says against candidates that earlier runs measured.
#pragma once

#include <cstdint>
#include <pqxx/pqxx>

#include "server/store/ingest/batch.h"

namespace tunehub::store {

// A batch's run, and where the ids of its rows begin.
struct Objector {
  std::int64_t run = 0;
  std::int64_t first_id = 0;
};

// Jobs that measure again what an owner's rows put in doubt, and that are not done: beyond them the
// keys stay in doubt without a job.
inline constexpr std::size_t kMostDoubtJobs = 8;

// Sets outcome.withdrawn, to what may go. Before the staged rows become candidates.
void FindAccused(pqxx::work& transaction, const BatchRequest& request, const Objector& objector,
                 BatchOutcome& outcome);
// Sets outcome.in_doubt, leaves in outcome.withdrawn what has gone, and plans jobs for what no
// earlier row has put in doubt. Once the candidates are what they will be.
void PlanDoubts(pqxx::work& transaction, const BatchRequest& request, const Objector& objector,
                BatchOutcome& outcome);

}  // namespace tunehub::store
