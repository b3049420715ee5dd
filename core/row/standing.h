// The standing (role) of a measurement decides if the measurement may win a shape key. It also
// decides if the measurement is served without a better row, or excludes its candidate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/family/family.h"
#include "core/family/targets.h"

namespace tunehub::core {

// The database stores these values. Lower values win (winner.h).
enum class Standing : std::uint8_t {
  kMeasured = 0,    // a credible time
  kDeclared = 1,    // a choice without a time, in a family that allows such rows
  kUnmeasured = 2,  // the time is unknown or not credible; the chosen kernel may be right
  // The hub never serves the standings below. Pages show 3 to 5 as "quarantined". The rows' reasons
  // distinguish them.
  kWrong = 3,        // wrong result: excludes the candidate until a correct measurement
  kFailed = 4,       // did not finish: evidence only
  kGarbled = 5,      // the row does not say which candidate ran
  kImplausible = 6,  // nobody knows which kernel ran
  kUnfinished = 7,   // stopped early, or too few samples: evidence only
  // time of an operator, a default or a bench without a kernel name: counts in speed-ups only
  kCompared = 8,
  // Evidence only. The time beats the best time of other owners by more than the setting
  // confirm_factor, and no other owner has confirmed it. Candidates have this standing,
  // measurements do not.
  kUnconfirmed = 9,
};

std::string_view Name(Standing standing);

constexpr bool Competes(Standing standing) {
  return standing <= Standing::kUnmeasured;
}

// A time below this share of the roofline is implausible. The margin allows for boost clocks,
// rounded data sheets and caches.
inline constexpr double kRooflineShare = 0.8;
// The least time of a GPU launch, in us. The fastest row of AITER's tables takes 2.41 us.
inline constexpr double kLeastLaunchUs = 1;
// The longest credible time, in us: eleven days.
inline constexpr double kMostUs = 1e12;

// The full reason of a garbled row whose time is credible.
inline constexpr std::string_view kNamesNoKernel = "no_kernel: the row names no kernel";

// A measurement with fewer samples has no interval.
inline constexpr std::size_t kLeastSamples = 3;

struct Judgement {
  Standing standing = Standing::kMeasured;
  std::string reason;  // "" for measured and declared, else "code: detail"
  // True if the roofline of the shape key is unknown. The hub then judges this time by other times
  // of the same shape key (rebuild_candidates.sql).
  bool relative = false;
};

struct Timing {
  double us = 0;           // NaN: the cell is empty or nan
  double error = 0;        // the largest of the row's error columns; NaN: unknown
  double error_limit = 0;  // the run's limit, or else the family's
  // True if the row is from upstream. An implausible time then makes the row unmeasured instead of
  // implausible.
  bool upstream = true;
};

// The error limit for rows outside of imports: the lower one of the family's tuner_error_limit and
// the run's limit.
double ResultsErrorLimit(const Family& family, std::optional<double> of_run);
// The error limit for imports: the run's limit, or else the limit of AITER's table check. Only a
// run from upstream may have a limit above AITER's.
double ImportErrorLimit(const Family& family, std::optional<double> of_run, bool upstream);

// Reasons, by standing:
// * garbled: no_kernel
// * failed: failed
// * wrong: error_above_limit
// * unmeasured: us_missing, us_zero, us_infinite, us_placeholder
// * implausible (unmeasured if from upstream): implausible
Judgement Judge(const Family& family, const Targets& targets, const Cells& cells,
                const Timing& timing);

}  // namespace tunehub::core
