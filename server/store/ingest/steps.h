// What a batch does in its transaction whether it goes alone or in a group.
#pragma once

#include <cstdint>
#include <map>
#include <pqxx/pqxx>
#include <string>

#include "core/base/result.h"
#include "server/store/ingest/batch.h"

namespace tunehub::store {

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

}  // namespace tunehub::store
