// Speed-ups: how many times faster one candidate is than another. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/tuning/session.h"
#include "core/family.h"

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

// A time of a shape: of a tuned table, or of one that has only the shape's columns and `us`.
struct Timed {
  std::string target;  // "gfx942:304"; "" where the table does not say
  Columns shape;
  double us = 0;
};

// Rows without a time above zero are passed over. Errors: those of core::CsvReader and ShapeOf with
// file and line, empty_table, no_times (no column `us`).
core::Result<std::vector<Timed>> ReadTimes(const core::Family& family, const std::string& file,
                                           std::string_view csv);

struct Compared {
  std::string target;
  Columns shape;
  Change change = Change::kSame;
  double before_us = 0, after_us = 0;  // 0: not there
  double speedup() const { return before_us / after_us; }
};

// Joined by target and shape, in the order of the first table; what only the second has, last. Of
// several times of a shape in one table the fastest counts.
std::vector<Compared> Compare(const std::vector<Timed>& before, const std::vector<Timed>& after);

}  // namespace tunehub::agent::tuning
