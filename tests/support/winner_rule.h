// The rest of the winner rule, which the server states in SQL alone: the oracle of its tests.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "server/ingest/staged_rows.h"

namespace tunehub::test {

// The row that a candidate stands by, of its rows that count; null: no row may stand.
// 1. A row that calls the candidate wrong withdraws its own owner's rows. It withdraws other
//    owners' rows if it decides, or if rows of two owners call the candidate wrong. It withdraws no
//    measured row that was received after it, and no other owner's row if its own owner measured
//    the candidate right later.
// 2. Of each owner the latest run counts, by its start, then by its content hash.
// 3. Measured beats declared, declared beats unmeasured. Then the lowest time, the lowest error,
//    the lowest rank, the latest run.
// 4. If no other row is left, a wrong row stands: the candidate is out.
const core::Contender* StandsBy(std::span<const core::Contender> rows);

// `second`: the second best; null: there is none.
core::WinReason WhyWon(const core::Contender& winner, const core::Contender* second);

// The rows that a batch with that table stores.
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
// The row that each candidate stands by, of all rows that count.
ByCandidate<HeldRow> StandsBy(const ByCandidate<std::vector<HeldRow>>& rows);
// The same text as Registry::Winners().
std::string WinnersOf(const ByCandidate<HeldRow>& stands);

}  // namespace tunehub::test
