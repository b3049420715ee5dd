// Finds the shape keys whose winner a batch may change, chooses their winners and makes the
// revision. Reverts and reclassification end with the same steps.
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

// The changes by one transaction, by batch id.
using BatchChanges = std::map<std::int64_t, FamilyOutcomes>;

// Locks the whole registry. Reverts, imports that supersede others, and reclassification call it
// first. Other batches take this lock in shared mode.
void LockRegistry(pqxx::work& transaction);

// Chooses the winners of the touched shape keys and serves them. The result always contains the
// batch `change`, which also gets the keys that were touched without a batch. A key counts as won
// if its new row has an id of at least `first_id` or is in `back`.
BatchChanges ChooseForTouched(pqxx::work& transaction, std::int64_t change, std::int64_t first_id,
                              const std::vector<std::int64_t>& back = {});

// Adds the families of the touched keys, with or without changed rows.
void AddTouched(pqxx::work& transaction, FamilyOutcomes& families);

// Updates the evidence of the given families, and makes a revision for each batch that changed a
// family. The revision lists the changed families, or with `unchanged_too` all given families.
// Locks the registry's row, so the caller must commit soon.
std::map<std::int64_t, core::Pin> TakeRevisions(pqxx::work& transaction,
                                                const BatchChanges& batches,
                                                const std::string& kind, const std::string& cause,
                                                bool unchanged_too = false);

// Wakes every server. PostgreSQL delivers the notification with the commit.
void NotifyChange(pqxx::work& transaction);

// Lets the staged rows compete. Adds the counts of shape keys, withdrawn candidates and doubts to
// the outcomes. `active`: true if the runs are in force. `imported`: the new import of a source,
// else null. Errors: key_collision.
core::Status Compete(pqxx::work& transaction, StagedBatch& staged, bool active,
                     const Imported* imported = nullptr);

}  // namespace tunehub::server
