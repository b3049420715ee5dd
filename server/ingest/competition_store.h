// The staged rows of a batch among what was measured before: which keys are new, which are
// contested, which lose what a source no longer has.
#pragma once

#include <cstdint>
#include <map>
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

// Chooses the winners of the touched keys and puts them in force. Rows whose id is at least
// `first_id` count as won by this batch, and those that it has brought back. Answers what that
// changed.
FamilyOutcomes ChooseForTouched(pqxx::work& transaction, std::int64_t change, std::int64_t first_id,
                                const std::vector<std::int64_t>& back = {});

// The same where keys were touched in the names of several batches, by their ids.
using BatchChanges = std::map<std::int64_t, FamilyOutcomes>;
BatchChanges ChooseForEach(pqxx::work& transaction, std::int64_t change, std::int64_t first_id,
                           const std::vector<std::int64_t>& back = {});

// Takes the next revision where some family changed, else only counts the write. Must be
// followed by little more than the commit: it holds the registry's row.
std::optional<core::Pin> TakeRevision(pqxx::work& transaction, std::int64_t change,
                                      const std::string& kind, const std::string& cause,
                                      FamilyOutcomes families);
// The same, of all of these families, whether or not one changed.
core::Pin MakeRevision(pqxx::work& transaction, std::int64_t change, const std::string& kind,
                       const std::string& cause, const FamilyOutcomes& families);

// Wakes every server; delivered with the commit.
void NotifyChange(pqxx::work& transaction);

inline constexpr int kBatchIdShift = 20;

// What a batch does in its transaction whether it goes alone or in a group.

// First of all: against other writers to the batch's families.
void LockFamilies(pqxx::work& transaction, const BatchRequest& request);

// The versions in force of the batch's families. Another server may have brought newer files than
// those that these rows were read and judged by: their lines would be stored under columns they do
// not have: error definitions_changed.
core::Result<std::map<std::int16_t, int>> FindVersions(pqxx::work& transaction,
                                                       const BatchRequest& request);

// True if several rows of the batch compete for one key.
bool HasSeveralOfAKey(const BatchRequest& request);
// True if no roofline bounds some of the batch's times: the hub compares them with each other.
bool HoldsTimesAgainstOthers(const BatchRequest& request);
// The staged rows become candidates. `plain`: each key is new, and its times are bounded.
// `batches`: JSON, [{"batch":1,"run":2}]. True where keys were touched whose candidates are to be
// built again.
bool EnterCandidates(pqxx::work& transaction, bool plain, const std::string& batches);
// Of the touched keys. Answers which measurements other times of their keys show to be implausible.
std::vector<std::int64_t> RebuildCandidates(pqxx::work& transaction);
// Those of the outcome's batch.
void NoteOutOfLine(const std::vector<std::int64_t>& implausible, BatchOutcome& outcome);

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
  Source source;
  Known known;
};

// Fills what `outcome` says of won and changed keys, withdrawn candidates and doubts. `imported`:
// null where the batch is no import of a source; else that comes into force. `first_id`: of the
// batch's measurements. Error key_collision.
core::Status Compete(pqxx::work& transaction, const BatchRequest& request, const RunRecord& run,
                     StagedBatch& staged, const Imported* imported, std::int64_t first_id,
                     BatchOutcome& outcome);

}  // namespace tunehub::server
