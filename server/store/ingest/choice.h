// Choosing again who holds the keys that a transaction touched, and the revision that follows: what
// batches, reverts and judging again end in.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "server/store/ingest/batch.h"

namespace tunehub::store {

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

}  // namespace tunehub::store
