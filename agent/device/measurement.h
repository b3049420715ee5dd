// What became of one candidate on one shape.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::agent {

// By column, in canonical text. A shape has every shape column of its family, a candidate the
// config columns that say what runs; neither has a target.
using Columns = std::map<std::string, std::string>;

// "M=16 N=1280 K=8192": what people and journals call it. Equal texts are equal columns.
std::string TextOf(const Columns& columns);

// The candidate's split along K, by the column that the family has for it; 0 where it says nothing.
long SplitK(const Columns& candidate);

// How far apart two shapes are: |log2| of each integer column's ratio, of M (or token) once and of
// the others twice, since a kernel's choice follows N and K more than M. Infinite where another
// column differs.
double Distance(const Columns& a, const Columns& b);

// How many of the parameters in the names and columns of two candidates differ: "..._8x2_..." and
// "..._8x4_..." differ in one. Large where the names have other words.
int Differences(const Columns& a, const Columns& b);

enum class Outcome {
  kOk,         // correct and timed
  kAbandoned,  // correct; its first sample was so far from the best that no second was taken
  kWrong,      // above the error limit, therefore never timed
  kBroken,     // crashed, hung or refused
};

std::string_view Name(Outcome outcome);

struct Measurement {
  Columns candidate;
  Outcome outcome = Outcome::kOk;
  double error = 0;             // share of wrong elements; kBroken: 1
  std::vector<double> samples;  // microseconds of one call each, in the order taken
  std::string reason;           // kWrong, kBroken: why
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

}  // namespace tunehub::agent
