// The winner rule: what a candidate of one key and provider stands by, and which of them is served.
// It does not depend on the order of arrival. server/store/sql states the same in SQL; a test holds
// the two together.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/hash128.h"
#include "core/row/standing.h"

namespace tunehub::core {

// One row of a candidate, with its run.
struct Contender {
  Standing standing = Standing::kMeasured;
  double us = 0;     // NaN sorts last
  double error = 0;  // NaN sorts last
  Hash128 candidate;
  std::int64_t run_time = 0;  // microseconds since 1970
  Hash128 run;
  int owner = 0;              // any number for each
  int rank = 1;               // 0 upstream's or an admin's, 1 others', 2 of a kernel nobody knows
  bool decides = false;       // where it is wrong: an admin's word, of no import
  std::int64_t received = 0;  // in the order of receipt
};

// Of the rows of one candidate that count, what it stands by; null: none may stand. A row is
// withdrawn by those that call the candidate wrong, if one of them decides or is of the row's own
// owner, or if they are of two owners; of other owners' rows, not by one whose owner measured the
// candidate right since. A measured row is withdrawn by those received after it,
// others by all. Of what is left each owner's latest run, by its start, then by its content hash:
// measured before declared before unmeasured. Of several owners' the lowest time, then the lowest
// error; without a time the lowest rank; then the latest run. Where nothing is left, the candidate
// is out, by a wrong row.
const Contender* StandsBy(std::span<const Contender> rows);

// Of what candidates stand by, where it competes. A strict weak order. Measured before declared
// before unmeasured; of the latter two the lower rank; then the lower time, the lower error, the
// candidate's hash, the run's hash.
// Declared: the latest run, its hash, the candidate's hash.
bool Beats(const Contender& a, const Contender& b);

// Why a row holds its key. The values are stored.
enum class WinReason : std::uint8_t {
  kOnlyCandidate = 0,
  kLowestTime = 1,
  kLowerError = 2,       // at an equal time
  kTieBreak = 3,         // equal time and error: the candidate's hash decides
  kOnlyMeasured = 4,     // the others have no time to believe
  kNothingMeasured = 5,  // nobody has a time to believe: the kernel choice stands in
  kLatestDeclared = 6,
};

std::string_view Name(WinReason reason);
// `second` is the best of the others; null where there is none.
WinReason WhyWon(const Contender& winner, const Contender* second);

}  // namespace tunehub::core
