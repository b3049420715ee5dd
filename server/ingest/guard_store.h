// What a batch says against what stands: candidates that earlier runs measured, and the rows that a
// family serves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "server/db/writer.h"
#include "server/ingest/batch_records.h"
#include "server/ingest/stage_store.h"

namespace tunehub::server {

// Jobs that measure again what an owner's rows put in doubt, and that are not done: beyond them the
// keys stay in doubt without a job.
inline constexpr std::size_t kMostDoubtJobs = 8;

// Sets outcome.withdrawn, to what may go. Before the staged rows become candidates.
void FindAccused(pqxx::work& transaction, Members& members);
// Sets outcome.in_doubt, leaves in outcome.withdrawn what has gone, and plans jobs for what no
// earlier row has put in doubt. Once the candidates are what they will be.
void PlanDoubts(pqxx::work& transaction, Members& members);

// An import that withdraws more than one of so many keys of its source is rather a mistake: a
// folder that was not whole, or a part of the tree.
inline constexpr std::size_t kShrinkShare = 10;
// So few keys of a table may always go: an agent that finds its own few rows wrong says so.
inline constexpr std::size_t kFewKeys = 10;

// Called once the winners are chosen. Notes the keys that the write takes away. Answers the first
// family that lost more than kFewKeys and more than one of kShrinkShare by this owner's writes of
// one day: of all its keys, or of the keys with other owners' rows.
std::optional<Loss> FindLoss(pqxx::work& transaction, const Writer& by, std::int64_t batch,
                             const FamilyOutcomes& families);
// Error would_shrink.
core::Error LossError(const Loss& loss);

}  // namespace tunehub::server
