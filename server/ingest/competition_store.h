// The staged rows of a batch among what was measured before: which keys are new, which are
// contested, which lose what a source no longer has.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "server/ingest/batch_records.h"
#include "server/ingest/guard_store.h"
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

// What a batch does in its transaction whether it goes alone or in a group.

// First of all: against other writers to the batch's families.
void LockFamilies(pqxx::work& transaction, const BatchRequest& request);

// The versions in force of the batch's families. Another server may have brought newer files than
// those that these rows were read and judged by: their lines would be stored under columns they do
// not have: error definitions_changed.
core::Result<std::map<std::int16_t, int>> FindVersions(pqxx::work& transaction,
                                                       const BatchRequest& request);

// A batch in its transaction, alone or in a group.
struct Member {
  const BatchRequest* request;
  std::size_t place = 0;  // among those that were to go together
  BatchOutcome outcome = {};
};
using Members = std::vector<Member>;

// JSON: `describe` of each.
std::string Each(const Members& members,
                 const std::function<nlohmann::json(const Member&)>& describe);

// Of each that changed something, into its outcome.
void TakeRevisions(pqxx::work& transaction, Members& members);

// Makes measurements of what is staged. `source`: of an import.
void InsertMeasurements(pqxx::work& transaction, const Members& members,
                        std::optional<int> source = {});

// Measurements that the batch has added.
std::size_t StoredOf(const BatchOutcome& outcome);

// Last before the revision. After the first load, and after each that adds a tenth, the planner
// gets statistics: without them the next import of 35,000 rows took 90 s. Batches of few rows are
// left to autovacuum, which looks once a minute.
void AnalyseGrown(pqxx::work& transaction, std::size_t added);

// For the audit: "import tree: run 12, 2000 rows, 10 new, 3 keys changed".
std::string Describe(const BatchRequest& request, const BatchOutcome& outcome);

// An import of a source, as it found the source.
struct Imported {
  std::string name;  // of the source
  Source source;
  Known known;
};

// Fills what the outcomes say of won and changed keys, withdrawn candidates and doubts. `active`:
// the runs are in force. `imported`: null where the batch is no import of a source; else that comes
// into force. Error key_collision.
core::Status Compete(pqxx::work& transaction, StagedBatch& staged, Members& members, bool active,
                     const Imported* imported = nullptr);

}  // namespace tunehub::server
