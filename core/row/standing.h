// What a measurement may do: win a key, hold it for want of better, take a candidate out, or
// nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/family/family.h"
#include "core/family/targets.h"

namespace tunehub::core {

// The values are stored; the order is the order in which they win.
enum class Standing : std::uint8_t {
  kMeasured = 0,    // a time that can be believed
  kDeclared = 1,    // no time is to be expected: a choice somebody made
  kUnmeasured = 2,  // the time cannot be trusted, the kernel choice may be right
  // Never served; all three are "quarantined" to people, and their reasons tell them apart.
  kWrong = 3,   // it ran, and its result was wrong: the candidate is out until it is measured right
  kFailed = 4,  // it did not run to an end: evidence, which takes nothing away
  kGarbled = 5,  // nobody can say what ran
};

std::string_view Name(Standing standing);

constexpr bool Competes(Standing standing) {
  return standing <= Standing::kUnmeasured;
}

// A time at most this much above the sourced peak is believed: clocks boost, sources round.
inline constexpr double kPeakTolerance = 1.05;

struct Judgement {
  Standing standing = Standing::kMeasured;
  std::string reason;  // "" for measured and declared, else "code: detail"
};

struct Timing {
  double us = 0;           // NaN: the cell is empty or nan
  double error = 0;        // the largest of the row's error columns; NaN: none given
  double error_limit = 0;  // of the run, or the family's
};

// Reasons: no_kernel (garbled); failed; error_above_limit (wrong); us_missing, us_zero,
// us_infinite, us_placeholder, above_peak (unmeasured).
Judgement Judge(const Family& family, const Targets& targets, const Cells& cells,
                const Timing& timing);

}  // namespace tunehub::core
