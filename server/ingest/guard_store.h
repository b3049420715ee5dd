// Sources: what one import has that the imports of its source before it had, too, and which import
// is in force. All under the registry's lock.
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

namespace tunehub::server {

struct Source {
  int id = 0;
  std::optional<std::int64_t> head;  // the import in force
};

// Makes the source where it is new: it belongs to the writer's owner then. `upstream`: the import
// is; then it becomes the owner's, too, where the import in force is not. Error not_owner.
core::Result<Source> OpenSource(pqxx::work& transaction, const Writer& writer,
                                const std::string& name, bool upstream);

// What an import repeats.
struct Known {
  std::size_t rows = 0, competing = 0;  // those of them that are not quarantined
  std::vector<std::int64_t> back;       // measurements that the import before it lacked
};

// Takes the rows that the source has had out of the stage, and notes of each row of the source
// whether `run` has it. Nothing of `run` may be among its measurements yet.
Known TakeKnown(pqxx::work& transaction, const Source& source, std::int64_t run);

// Takes a run of a source out of its order of imports; the keys whose rows that may change are
// touched.
void RevertImport(pqxx::work& transaction, const std::string& source, std::int64_t run);

// Puts the latest import that was not reverted in force.
void MoveHead(pqxx::work& transaction, const std::string& source);

// Touches the keys of which either import has a row that the other lacks.
void TouchMoved(pqxx::work& transaction, const Source& source, std::int64_t run);

// By its owner, and by what the writer's key is limited to. A run of an import belongs to its
// source's owner. Errors: not_owner, key_limited.
core::Status MayRevert(pqxx::work& transaction, const Writer& writer, const RunRecord& run);

// What a batch says against candidates that earlier runs measured.

// Jobs that measure again what an owner's rows put in doubt, and that are not done: beyond them the
// keys stay in doubt without a job.
inline constexpr std::size_t kMostDoubtJobs = 8;

// Sets outcome.withdrawn, to what may go. Before the staged rows become candidates.
void FindAccused(pqxx::work& transaction, const BatchRequest& request, BatchOutcome& outcome);
// Sets outcome.in_doubt, leaves in outcome.withdrawn what has gone, and plans jobs for what no
// earlier row has put in doubt. Once the candidates are what they will be.
void PlanDoubts(pqxx::work& transaction, const BatchRequest& request, BatchOutcome& outcome);

// What a write would take away: of a source, where an import takes the place of the one in force,
// and of a family's table, whatever the write.

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

}  // namespace tunehub::server
