// The standing of a measurement: it may win a shape key, be served for lack of a better one,
// exclude its candidate, or do nothing.
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

// The values are stored; their order is that in which rows win.
enum class Standing : std::uint8_t {
  kMeasured = 0,    // a credible time
  kDeclared = 1,    // a choice without a time, as the family intends
  kUnmeasured = 2,  // the time is unknown or not credible; the kernel choice may be right
  // Never served. 3 to 5 are shown as "quarantined"; their reasons tell them apart.
  kWrong = 3,        // ran with a wrong result: excludes the candidate until it is measured right
  kFailed = 4,       // did not finish: evidence only
  kGarbled = 5,      // unknown what ran
  kImplausible = 6,  // faster than any device of the target: evidence only
  kUnfinished = 7,   // stopped early, or too few samples: evidence only
  kCompared = 8,     // an operator, or a default or bench without a kernel name: speed-ups only
};

std::string_view Name(Standing standing);

constexpr bool Competes(Standing standing) {
  return standing <= Standing::kUnmeasured;
}

// A time below this share of the roofline is implausible. The rest is for boost clocks, rounded
// data sheets and caches.
inline constexpr double kRooflineShare = 0.8;
// The least time of a GPU launch, in us: the fastest row of AITER's tables has 2.41.
inline constexpr double kLeastLaunchUs = 1;
// A longer time, eleven days, is no measurement.
inline constexpr double kMostUs = 1e12;

// The full reason of a garbled row whose time is credible.
inline constexpr std::string_view kNamesNoKernel = "no_kernel: the row names no kernel";

// Fewer samples, if a measurement states them, have no spread.
inline constexpr std::size_t kLeastSamples = 3;

struct Judgement {
  Standing standing = Standing::kMeasured;
  std::string reason;  // "" for measured and declared, else "code: detail"
  // True if the roofline of the shape key is unknown, so that the key's other times judge this one
  // (rebuild_candidates.sql).
  bool relative = false;
};

struct Timing {
  double us = 0;           // NaN: the cell is empty or nan
  double error = 0;        // the largest of the row's error columns; NaN: none given
  double error_limit = 0;  // of the run, or the family's
  // True if the row is upstream's: an implausible time then makes it unmeasured, not implausible.
  bool upstream = true;
};

// For rows outside of imports: the limit of the family's tuner, or a lower one of the run.
double ResultsErrorLimit(const Family& family, std::optional<double> of_run);
// For imports: the limit of the run, by default that of AITER's table check. Only upstream may
// exceed the default.
double ImportErrorLimit(const Family& family, std::optional<double> of_run, bool upstream);

// Reasons: no_kernel (garbled); failed; error_above_limit (wrong); us_missing, us_zero,
// us_infinite, us_placeholder (unmeasured); implausible (implausible; unmeasured where upstream).
Judgement Judge(const Family& family, const Targets& targets, const Cells& cells,
                const Timing& timing);

// The winner rule: which candidate of a shape key and provider is served. It does not depend on the
// order of arrival. server/ingest/sql states it in SQL, and a test compares the two. Offline merges
// use this one.

// One row of a candidate, with its run.
struct Contender {
  Standing standing = Standing::kMeasured;
  double us = 0;     // NaN sorts last
  double error = 0;  // NaN sorts last
  Hash128 candidate;
  std::int64_t run_time = 0;  // microseconds since 1970
  Hash128 run;
  int owner = 0;              // any number, one for each owner
  int rank = 1;               // 0: upstream's or an admin's, 1: others', 2: of an unknown kernel
  bool decides = false;       // an admin's row, not an import's: counts if wrong
  std::int64_t received = 0;  // in the order of receipt
};

// True if `a` wins. A strict weak order (hashes, because the database stores no candidate's text):
//   standing: measured, declared, unmeasured; unless measured: the lower rank
//   declared: the latest run, the run's hash, the candidate's hash
//   else: the lower time, the lower error, the candidate's hash, the run's hash
bool Beats(const Contender& a, const Contender& b);

// Why a row is served for its shape key. The values are stored.
enum class WinReason : std::uint8_t {
  kOnlyCandidate = 0,
  kLowestTime = 1,
  kLowerError = 2,       // at an equal time
  kTieBreak = 3,         // equal time and error: the candidate's hash decides
  kOnlyMeasured = 4,     // other candidates have no credible time
  kNothingMeasured = 5,  // no candidate has a credible time: the kernel choice is served
  kLatestDeclared = 6,
};

std::string_view Name(WinReason reason);

}  // namespace tunehub::core
