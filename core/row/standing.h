// The standing of a measurement: it may win a shape key, be served for lack of a better one,
// exclude its candidate, or do nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/family/family.h"
#include "core/family/targets.h"

namespace tunehub::core {

// The values are stored; their order is that in which rows win (winner.h).
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

}  // namespace tunehub::core
