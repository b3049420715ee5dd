// Finds a batch's new and contested keys and those that a source loses; chooses their winners and
// takes the revision. Reverts and reclassification end in the same steps.
#pragma once

#include <cstdint>
#include <map>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "server/ingest/batch_records.h"
#include "server/ingest/source_store.h"
#include "server/ingest/stage_store.h"

namespace tunehub::server {

// The changes of a transaction, by batch id.
using BatchChanges = std::map<std::int64_t, FamilyOutcomes>;

// Locks the whole registry, which batches share. Reverts, superseding imports and reclassification
// call it first.
void LockRegistry(pqxx::work& transaction);

// Chooses the winners of the touched keys and serves them; the answer always contains `change`.
// Keys touched without a batch count for `change`. Rows with an id of at least `first_id`, and rows
// in `back`, count as won.
BatchChanges ChooseForTouched(pqxx::work& transaction, std::int64_t change, std::int64_t first_id,
                              const std::vector<std::int64_t>& back = {});

// Counts the writes, and takes a revision for each batch that changed a family, of the changed
// families (`unchanged_too`: of all given). It locks the registry's row: little more than the
// commit may follow.
std::map<std::int64_t, core::Pin> TakeRevisions(pqxx::work& transaction,
                                                const BatchChanges& batches,
                                                const std::string& kind, const std::string& cause,
                                                bool unchanged_too = false);

// Wakes every server; delivered with the commit.
void NotifyChange(pqxx::work& transaction);

// Fills in the outcomes' won and changed keys, withdrawn candidates and doubts. `active`: the runs
// are in force. `imported`: null unless the batch is an import of a source, which then comes into
// force. Error key_collision.
core::Status Compete(pqxx::work& transaction, StagedBatch& staged, bool active,
                     const Imported* imported = nullptr);

}  // namespace tunehub::server
