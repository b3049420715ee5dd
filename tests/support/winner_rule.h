// The rest of the winner rule, which the server states in SQL alone: the oracle of its tests.
#pragma once

#include <span>

#include "core/row/standing.h"

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

}  // namespace tunehub::test
