// What a write would take away: of a source, where an import takes the place of the one in force,
// and of a family's table, whatever the write.
#pragma once

#include <cstddef>
#include <optional>
#include <pqxx/pqxx>

#include "server/store/connection/write_request.h"
#include "server/store/ingest/batch.h"
#include "server/store/ingest/sources.h"

namespace tunehub::store {

// An import that withdraws more than one of so many keys of its source is rather a mistake: a
// folder that was not whole, or a part of the tree.
inline constexpr std::size_t kShrinkShare = 10;
// Keys that an answer names.
inline constexpr std::size_t kGoingListed = 20;

// Before TakeKnown, with all rows of the import staged: what goes, where that is much and the
// writer does not allow it. Error key_limited: something goes that the writer's key may not write
// to.
core::Result<std::optional<Shrinkage>> FindShrinkage(pqxx::work& transaction,
                                                     const WriteRequest& write,
                                                     const Source& source);

// So few keys of a table may always go: an agent that finds its own few rows wrong says so.
inline constexpr std::size_t kFewKeys = 10;

// Called once the winners are chosen. Notes the keys that the write takes away. Answers the first
// family that lost more than kFewKeys and more than one of kShrinkShare by this owner's writes of
// one day: of all its keys, or of the keys with other owners' rows.
std::optional<Loss> FindLoss(pqxx::work& transaction, const Writer& by, std::int64_t batch,
                             const FamilyOutcomes& families);
// Error would_shrink.
core::Error LossError(const Loss& loss);

}  // namespace tunehub::store
