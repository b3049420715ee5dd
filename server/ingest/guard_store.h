// Compares a batch with candidates of earlier runs, and with a family's served rows.
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

// The maximum of open jobs that measure an owner's doubts again. Further shape keys stay in doubt
// without a job.
inline constexpr std::size_t kMostDoubtJobs = 8;

// Fills outcome.withdrawn. Call it before the staged rows become candidates.
void FindAccused(pqxx::work& transaction, Members& members);
// Moves doubts from outcome.withdrawn to outcome.in_doubt, and plans jobs for doubts that no
// earlier row raised. Call it after the rebuild of the candidates.
void PlanDoubts(pqxx::work& transaction, Members& members);

// An import that withdraws more than one in kShrinkShare shape keys of its source is probably a
// mistake: an incomplete folder, or a part of the tree.
inline constexpr std::size_t kShrinkShare = 10;
// A table may always lose this many shape keys, since an agent may find a few of its own rows
// wrong.
inline constexpr std::size_t kFewKeys = 10;

// Records the write's losses. Returns the first family that lost too many shape keys by the owner's
// writes of one day; upstream's keys count the writes of all. Too many: more than kFewKeys, and
// more than one in kShrinkShare of all, other owners' or upstream's keys. Call it after the choice
// of winners.
std::optional<Loss> FindLoss(pqxx::work& transaction, const Writer& by, std::int64_t batch,
                             const FamilyOutcomes& families);
// Error would_shrink.
core::Error LossError(const Loss& loss);

}  // namespace tunehub::server
