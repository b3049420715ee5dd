// The part of the winner rule that the server states in SQL alone, restated to judge it in tests.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/row/winner.h"
#include "server/ingest/staged_rows.h"

namespace tunehub::test {

// A candidate by its rows; absent if none counts.
// 1. A wrong row withdraws its owner's other rows. It withdraws rows of other owners if an admin
//    sent it outside an import, or if two owners call the candidate wrong. It never withdraws a
//    measured row that came later. Once its owner has measured the candidate right, it withdraws
//    no row of another owner.
// 2. Of the other rows core::StandOf decides.
// 3. If only a wrong row is left, it represents the candidate, and the candidate is out. `line` is
//    a place in `rows`.
std::optional<core::Stand> StandsBy(std::span<const core::Contender> rows);

// The rows that a batch with the table `csv` stores, or with a body of JSON.
std::vector<server::StagedRow> RowsOfBatch(const core::Family& family, const std::string& csv,
                                           bool imported);

// A row, and its text in tests.
struct HeldRow {
  core::Contender contender;
  std::string text;  // "16 a 10"
  std::string line;
};
HeldRow Held(const core::Row& row, const core::Contender& contender);

template <typename T>
using ByCandidate = std::map<std::pair<std::string, server::Provider>, std::map<core::Hash128, T>>;
// Of each candidate's rows that count, the row that represents the candidate.
ByCandidate<HeldRow> StandsBy(const ByCandidate<std::vector<HeldRow>>& rows);
// The same text as Registry::Winners().
std::string WinnersOf(const ByCandidate<HeldRow>& stands);

}  // namespace tunehub::test
