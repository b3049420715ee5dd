// The part of the winner rule that the server has only in SQL, written again so that tests can
// check it.
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

// The row that represents a candidate; nothing if no row counts.
// 1. A wrong row withdraws its owner's other rows. It withdraws rows of other owners if an admin
//    sent it outside of an import, or if two owners call the candidate wrong. It never withdraws a
//    measured row that came later. Once its owner has measured the candidate as right, it withdraws
//    no row of another owner.
// 2. core::StandOf decides between the remaining rows.
// 3. If only a wrong row remains, it represents the candidate, and the candidate cannot win.
// `line` is an index in `rows`.
std::optional<core::Stand> StandsBy(std::span<const core::Contender> rows);

// The rows that the hub stores for a batch: `csv` is a table, or a JSON body.
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
// By candidate: the row that represents it, if a row counts.
ByCandidate<HeldRow> StandsBy(const ByCandidate<std::vector<HeldRow>>& rows);
// The same text as Registry::Winners().
std::string WinnersOf(const ByCandidate<HeldRow>& stands);

}  // namespace tunehub::test
