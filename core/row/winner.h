// The winner rule: which candidate of one key and provider is served. It does not depend on the
// order of arrival. server/ingest/sql states the same in SQL; a test holds the two together.
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
  int owner = 0;              // any number for each
  int rank = 1;               // 0 upstream's or an admin's, 1 others', 2 of a kernel nobody knows
  bool decides = false;       // where it is wrong: an admin's word, of no import
  std::int64_t received = 0;  // in the order of receipt
};

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

}  // namespace tunehub::core
