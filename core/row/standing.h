// What a measurement may do: win a key, hold it for want of better, take a candidate out, or
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/hash.h"
#include "core/family/family.h"
#include "core/family/targets.h"

namespace tunehub::core {

// The values are stored; the order is the order in which they win.
enum class Standing : std::uint8_t {
  kMeasured = 0,    // a time that can be believed
  kDeclared = 1,    // no time is to be expected: a choice somebody made
  kUnmeasured = 2,  // the time cannot be trusted, the kernel choice may be right
  // Never served. 3 to 5 are "quarantined" to people, and their reasons tell them apart.
  kWrong = 3,   // it ran, and its result was wrong: the candidate is out until it is measured right
  kFailed = 4,  // it did not run to an end: evidence, which takes nothing away
  kGarbled = 5,      // nobody can say what ran
  kImplausible = 6,  // no device of the target is so fast: evidence
  kUnfinished = 7,   // the measurement was given up, or has too few samples: evidence
  kCompared = 8,     // of an operator, or of a default or a bench that names no kernel
};

std::string_view Name(Standing standing);

constexpr bool Competes(Standing standing) {
  return standing <= Standing::kUnmeasured;
}

// A time below this share of the roofline is no measurement: clocks boost, data sheets round,
// caches help.
inline constexpr double kRooflineShare = 0.8;
// A launch on a GPU takes longer, in us: the fastest row of AITER's tables is 2.41.
inline constexpr double kLeastLaunchUs = 1;
// A longer one is none: eleven days.
inline constexpr double kMostUs = 1e12;

// The reason of a garbled row whose time can be believed.
inline constexpr std::string_view kNamesNoKernel = "no_kernel: the row names no kernel";

// Of a measurement that says its samples: fewer have no spread.
inline constexpr std::size_t kLeastSamples = 3;

struct Judgement {
  Standing standing = Standing::kMeasured;
  std::string reason;  // "" for measured and declared, else "code: detail"
  // No roofline bounds the row's key, so that its other times do (rebuild_candidates.sql).
  bool relative = false;
};

struct Timing {
  double us = 0;           // NaN: the cell is empty or nan
  double error = 0;        // the largest of the row's error columns; NaN: none given
  double error_limit = 0;  // of the run, or the family's
  // Of a table that others serve as it is: an implausible time is then one that is not known.
  bool upstream = true;
};

// The limit of rows that are no import: what the family's tuner allows, or less where the run says
// so.
double ResultsErrorLimit(const Family& family, std::optional<double> of_run);
// Of imports: AITER's table check's, or what the run says; more only where it is upstream's own.
double ImportErrorLimit(const Family& family, std::optional<double> of_run, bool upstream);

// Reasons: no_kernel (garbled); failed; error_above_limit (wrong); us_missing, us_zero,
// us_infinite, us_placeholder (unmeasured); implausible (implausible; unmeasured where upstream).
Judgement Judge(const Family& family, const Targets& targets, const Cells& cells,
                const Timing& timing);

// The winner rule: which candidate of one key and provider is served. It does not depend on the
// order of arrival. server/ingest/sql states the same in SQL; a test holds the two together. It is
// in core because offline merges choose by it.

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
// candidate's hash, the run's hash. The hash is as fixed an order as the text, which the database
// need not store for it.
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
