// The staged rows of a batch among what was measured before: which keys are new, which are
// contested, which lose what a source no longer has.
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

// Choosing again who holds the keys that a transaction touched, and the revision that follows: what
// batches, reverts and judging again end in.

// What a transaction's batches changed, by their ids.
using BatchChanges = std::map<std::int64_t, FamilyOutcomes>;

// First of all in what withdraws measurements (revert, supersede, reclassify): alone in the
// registry, which batches share.
void LockRegistry(pqxx::work& transaction);

// Chooses the winners of the touched keys and puts them in force; `change` is in the answer. Keys
// that were touched in no batch's name count for `change`. Rows whose id is at least `first_id`
// count as won, and those that an import has brought back.
BatchChanges ChooseForTouched(pqxx::work& transaction, std::int64_t change, std::int64_t first_id,
                              const std::vector<std::int64_t>& back = {});

// Counts the writes, and takes a revision for each batch that changed a family: of those families,
// with `unchanged_too` of all that are given. Must be followed by little more than the commit: it
// holds the registry's row.
std::map<std::int64_t, core::Pin> TakeRevisions(pqxx::work& transaction,
                                                const BatchChanges& batches,
                                                const std::string& kind, const std::string& cause,
                                                bool unchanged_too = false);

// Wakes every server; delivered with the commit.
void NotifyChange(pqxx::work& transaction);

// Fills what the outcomes say of won and changed keys, withdrawn candidates and doubts. `active`:
// the runs are in force. `imported`: null where the batch is no import of a source; else that comes
// into force. Error key_collision.
core::Status Compete(pqxx::work& transaction, StagedBatch& staged, bool active,
                     const Imported* imported = nullptr);

}  // namespace tunehub::server
