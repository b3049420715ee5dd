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

// Open jobs that measure an owner's doubts again. Beyond this number keys stay in doubt without a
// job.
inline constexpr std::size_t kMostDoubtJobs = 8;

// Fills outcome.withdrawn. Call it before the staged rows become candidates.
void FindAccused(pqxx::work& transaction, Members& members);
// Moves doubts from outcome.withdrawn to outcome.in_doubt, and plans jobs for doubts that no
// earlier row raised. Call it after the candidates are rebuilt.
void PlanDoubts(pqxx::work& transaction, Members& members);

// An import that withdraws more than one in kShrinkShare keys of its source is probably a mistake:
// an incomplete folder, or a part of the tree.
inline constexpr std::size_t kShrinkShare = 10;
// A table may always lose this many keys: an agent may find its own few rows wrong.
inline constexpr std::size_t kFewKeys = 10;

// Call it after the winners are chosen. Notes the keys that the write takes away. Answers the first
// family that lost too much by the owner's writes of one day: more than kFewKeys, and more than one
// in kShrinkShare of all keys, of other owners' keys or of upstream's keys.
std::optional<Loss> FindLoss(pqxx::work& transaction, const Writer& by, std::int64_t batch,
                             const FamilyOutcomes& families);
// Error would_shrink.
core::Error LossError(const Loss& loss);

}  // namespace tunehub::server
