// The rest of the winner rule, which the server states in SQL alone: the oracle of its tests.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "server/ingest/staged_rows.h"

namespace tunehub::test {

// Of the rows of one candidate that count, what it stands by; null: none may stand. A row is
// withdrawn by those that call the candidate wrong, if one of them decides or is of the row's own
// owner, or if they are of two owners; of other owners' rows, not by one whose owner measured the
// candidate right since. A measured row is withdrawn by those received after it,
// others by all. Of what is left each owner's latest run, by its start, then by its content hash:
// measured before declared before unmeasured. Of several owners' the lowest time, then the lowest
// error; without a time the lowest rank; then the latest run. Where nothing is left, the candidate
// is out, by a wrong row.
const core::Contender* StandsBy(std::span<const core::Contender> rows);

// `second` is the best of the others; null where there is none.
core::WinReason WhyWon(const core::Contender& winner, const core::Contender* second);

// The rows that a batch with that table stores.
std::vector<server::StagedRow> RowsOfBatch(const core::Family& family, const std::string& csv,
                                           bool imported);

// A row, and how tests tell it.
struct HeldRow {
  core::Contender contender;
  std::string text;  // "16 a 10"
  std::string line;
};
HeldRow Held(const core::Row& row, const core::Contender& contender);

template <typename T>
using ByCandidate = std::map<std::pair<std::string, server::Provider>, std::map<core::Hash128, T>>;
// What each candidate stands by, of all rows that count.
ByCandidate<HeldRow> StandsBy(const ByCandidate<std::vector<HeldRow>>& rows);
// As Registry::Winners() says it.
std::string WinnersOf(const ByCandidate<HeldRow>& stands);

}  // namespace tunehub::test
