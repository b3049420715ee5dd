// Compares a batch with candidates of earlier runs, and with the rows that a family serves.
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

// The most open jobs that measure an owner's doubts again. Further shape keys stay in doubt without
// a job.
inline constexpr std::size_t kMostDoubtJobs = 8;

// Fills outcome.withdrawn. Call it before the staged rows become candidates.
void FindAccused(pqxx::work& transaction, Members& members);
// Moves doubts from outcome.withdrawn to outcome.in_doubt, and plans jobs for doubts that no
// earlier row raised. Call it after the candidates are rebuilt.
void PlanDoubts(pqxx::work& transaction, Members& members);

// An import that withdraws more than one in kShrinkShare shape keys of its source is probably a
// mistake: an incomplete folder, or a part of the tree.
inline constexpr std::size_t kShrinkShare = 10;
// A table may always lose this many shape keys, since an agent may find its own few rows wrong.
inline constexpr std::size_t kFewKeys = 10;

// Records the write's losses. Answers the first family that lost too many shape keys by the owner's
// writes of one day (of upstream's keys: by all writes): more than kFewKeys, and more than one in
// kShrinkShare of all, other owners' or upstream's keys. Call it after the winners are chosen.
std::optional<Loss> FindLoss(pqxx::work& transaction, const Writer& by, std::int64_t batch,
                             const FamilyOutcomes& families);
// Error would_shrink.
core::Error LossError(const Loss& loss);

}  // namespace tunehub::server
