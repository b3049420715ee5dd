// The winner rule: what a candidate of one key and provider stands by, and which of them is served.
// It does not depend on the order of arrival. server/store/sql states the same in SQL; a test holds
// the two together.
#pragma once

#include <cstdint>
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
};

// Whether a row may be what its candidate stands by: one that competes, or one that was wrong.
constexpr bool MayStand(Standing standing) {
  return standing <= Standing::kWrong;
}
// Whether `row` takes the place of `standing` as what their candidate stands by; both may stand.
// That is the row of the latest run, by its start, then by its content hash; but a measured or a
// wrong row before any that was declared, and that before any whose time cannot be trusted. A
// candidate that stands by a wrong row is out: the runs that follow must measure it right again.
bool Displaces(const Contender& row, const Contender& standing);

// Of what candidates stand by, where it competes. A strict weak order. Measured before declared
// before unmeasured; then the lower time, the lower error, the candidate's hash, the run's hash.
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
