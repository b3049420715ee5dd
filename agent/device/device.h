// What runs candidates, and what became of one on one shape: the one thing that the tuner asks of a
// machine. The real one is a worker process (worker_device.h); tests give a fake with a clock of
// its own.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "kernels/gpu/cache.h"

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

using kernels::gpu::Cache;

// What can run a shape here.
struct Offer {
  std::vector<Columns> candidates;
  std::size_t fallback = 0;  // the one that runs where nobody has tuned
  // Of a GPU: Sample can be asked what a call takes hot and cold, and a candidate takes
  // milliseconds. Without, inputs rotate, and a candidate takes up to seconds.
  bool on_gpu = false;
};

// Errors that all calls may have, beside their own:
//   candidate_failed  this candidate crashed, hung or was refused; the others are not concerned
//   stopped           somebody asked the tuner to end
//   no_device         nothing can run here at all
//   disturbed         others worked beside the call: what was timed lately is no measurement
inline constexpr char kCandidateFailed[] = "candidate_failed", kStopped[] = "stopped",
                      kNoDevice[] = "no_device", kDisturbed[] = "disturbed",
                      kUnsupported[] = "unsupported_shape";

// Of one run against the reference.
struct Verdict {
  double error = 1;   // share of wrong elements, 0..1
  std::string wrong;  // why it is wrong whatever that share; "": it is not
};

class TuningDevice {
 public:
  virtual ~TuningDevice() = default;
  // Makes `shape` the one that the following calls are about. Errors: unsupported_shape.
  virtual core::Result<Offer> Prepare(const std::string& family, const Columns& shape) = 0;
  // Runs offer.candidates[candidate] once.
  virtual core::Result<Verdict> Verify(std::size_t candidate) = 0;
  // Runs it `calls` times in a row, timed as one; microseconds of one call.
  virtual core::Result<double> Sample(std::size_t candidate, int calls, Cache cache) = 0;
  // Microseconds of a fixed piece of work, the same at every call: its change is the clock's.
  virtual core::Result<double> Pulse() = 0;
};

}  // namespace tunehub::agent
