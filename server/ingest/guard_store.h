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

// The most open jobs that measure an owner's doubts again. More shape keys stay in doubt without a
// job.
inline constexpr std::size_t kMostDoubtJobs = 8;

// Sets outcome.withdrawn. Call it before the staged rows become candidates.
void FindAccused(pqxx::work& transaction, Members& members);
// Moves doubts from outcome.withdrawn to outcome.in_doubt, and plans jobs for new doubts, which no
// earlier row raised. Call it after the rebuild of the candidates.
void PlanDoubts(pqxx::work& transaction, Members& members);

// An import that withdraws more than 1 / kShrinkShare of its source's shape keys is probably a
// mistake. The folder may be incomplete, or only a part of the tree.
inline constexpr std::size_t kShrinkShare = 10;
// A table may always lose this many shape keys, since an agent may find a few of its own rows
// wrong.
inline constexpr std::size_t kFewKeys = 10;

// Records the write's losses. Returns the first family that lost too many shape keys by the owner's
// writes of one day. (For upstream's keys, the writes of all owners count.) Too many means more
// than kFewKeys, and also more than 1 / kShrinkShare of one of these: all keys, other owners' keys,
// upstream's keys. Call it after the choice of winners.
std::optional<Loss> FindLoss(pqxx::work& transaction, const Writer& by, std::int64_t batch,
                             const FamilyOutcomes& families);
// Returns the error would_shrink.
core::Error LossError(const Loss& loss);

}  // namespace tunehub::server
