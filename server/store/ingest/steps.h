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

// For the audit: "import tree: run 12, 2000 rows, 10 new, 3 keys changed".
std::string Describe(const BatchRequest& request, const BatchOutcome& outcome);

}  // namespace tunehub::store
