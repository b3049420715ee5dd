// What became of one candidate on one shape.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "agent/tuning/device/candidate.h"
#include "core/base/result.h"

namespace tunehub::agent::tuning {

enum class Outcome {
  kOk,         // correct and timed
  kAbandoned,  // correct; its first sample was so far from the best that no second was taken
  kWrong,      // above the error limit, therefore never timed
  kFailed,     // crashed, hung or refused
};

std::string_view Name(Outcome outcome);

struct Measurement {
  Columns candidate;
  Outcome outcome = Outcome::kOk;
  double error = 0;             // share of wrong elements; kFailed: 1
  std::vector<double> samples;  // microseconds of one call each, in the order taken
  std::string reason;           // kWrong, kFailed: why
  // Of finalists on a GPU, microseconds of a call that finds its own inputs in the cache, and of
  // one that finds nothing there; 0: not taken.
  double us_hot = 0, us_cold = 0;

  bool timed() const { return !samples.empty(); }
  bool competes() const { return outcome == Outcome::kOk && timed(); }
};

// The middle one, or the mean of the middle two; NaN without samples.
double Median(std::vector<double> samples);
// Half of the distance between the quartiles, as a share of the median.
double Spread(std::vector<double> samples);

nlohmann::json ToJson(const Measurement& measurement);
// Errors: bad_journal.
core::Result<Measurement> MeasurementOf(const nlohmann::json& json);

}  // namespace tunehub::agent::tuning
