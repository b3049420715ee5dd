// Speed-ups: how many times faster one candidate is than another. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/tuning/session.h"

namespace tunehub::agent::tuning {

// Of the winner over the untuned choice; nothing where either has no time.
std::optional<double> SpeedupOf(const DoneShape& done);

// Precondition: not empty, all above zero.
double GeometricMean(const std::vector<double>& values);

// Below this a golden time says more about the clock than about the kernel.
inline constexpr double kLeastGoldenUs = 4;

enum class Change {
  kFaster,
  kSame,
  kSlower,   // above 1.005 times the golden time plus 0.5 us
  kIgnored,  // the golden time is below kLeastGoldenUs
  kNew,      // only in the second
  kRemoved,  // only in the first
};
const char* Name(Change change);

struct Compared {
  std::string order;  // of the rows of a table
  Target target;
  Columns shape;
  Change change = Change::kSame;
  double before_us = 0, after_us = 0;  // 0: not there
  double speedup() const { return before_us / after_us; }
};

// Joined by target and shape, in the order of the table.
std::vector<Compared> Compare(const std::vector<TunedRow>& before,
                              const std::vector<TunedRow>& after);

}  // namespace tunehub::agent::tuning
