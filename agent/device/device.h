// The tuner's interface to a device. A device runs the candidates of a shape and measures them. The
// real device is a worker process (worker_device.h). Tests use a fake device with its own clock.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "kernels/gpu/cache.h"
#include "kernels/gpu/nvml.h"

namespace tunehub::agent {

// Values by column, in canonical text. A shape contains every shape column of its family. A
// candidate contains config columns. Neither contains the target.
using Columns = std::map<std::string, std::string>;

// "M=16 N=1280 K=8192", for people and journals. Equal texts mean equal columns.
std::string TextOf(const Columns& columns);

// Returns the candidate's split along K, from the family's column; 0: the candidate has no such
// column.
long SplitK(const Columns& candidate);

// Returns the distance of two shapes: the sum of |log2(a / b)| over the integer columns. M (or
// token) has weight 1. Other columns have weight 2, since the best kernel depends more on N and K.
// Infinite if the shapes differ in a value that is not a positive integer.
double Distance(const Columns& a, const Columns& b);

// The number of differing parameters in the names and columns of two candidates: "..._8x2_..." and
// "..._8x4_..." differ in one. The number is large if the names have different words.
int Differences(const Columns& a, const Columns& b);

enum class Outcome {
  kOk,         // correct and timed
  kAbandoned,  // correct, but dropped because a first sample was far from the best
  kWrong,      // above the error limit, so never timed
  kBroken,     // crashed, hung or refused
};

std::string_view Name(Outcome outcome);

struct Measurement {
  Columns candidate;
  Outcome outcome = Outcome::kOk;
  double error = 0;             // share of wrong elements; kBroken: 1
  std::vector<double> samples;  // microseconds of one call each, in the order taken
  std::string reason;           // kWrong, kBroken: why
  // Only for finalists on a GPU: microseconds of a call with its inputs in the cache (hot), and of
  // a call with an empty cache (cold). 0: not measured.
  double us_hot = 0, us_cold = 0;
  // The members below are only for candidates that were measured in rounds; else they are empty.
  double us_reference = 0;  // the median of the rounds' pulses
  // why its rounds ended: interval (narrow enough), limit, or slower (it cannot win)
  std::string ended = {};
  std::string clock = {};   // "steady"; or "capped" or "drifting", if pauses did not help
  std::string clocks = {};  // the range of the clocks: "SM 1965 to 1980 MHz, memory 3201 MHz, ..."

  bool timed() const { return !samples.empty(); }
  bool competes() const { return outcome == Outcome::kOk && timed(); }
};

// The middle sample, or the mean of the middle two; NaN without samples.
double Median(std::vector<double> samples);
// Half of the interquartile range, as a share of the median.
double Spread(std::vector<double> samples);

nlohmann::json ToJson(const Measurement& measurement);
// Errors: bad_journal.
core::Result<Measurement> MeasurementOf(const nlohmann::json& json);

using kernels::gpu::Cache;

// The candidates for a shape on this device.
struct Offer {
  std::vector<Columns> candidates;
  std::size_t fallback = 0;  // the default
  // True: Sample() also measures hot and cold, and a candidate takes milliseconds. False (a CPU):
  // inputs always rotate, and a candidate takes up to seconds.
  bool on_gpu = false;
};

// All calls return these errors, besides their own:
//   candidate_failed  this candidate crashed, hung or was refused; other candidates can still run
//   stopped           somebody asked the tuner to end
//   no_device         no candidate can run here any more
//   disturbed         other processes used the device during the call: recent samples are invalid
inline constexpr char kCandidateFailed[] = "candidate_failed", kStopped[] = "stopped",
                      kNoDevice[] = "no_device", kDisturbed[] = "disturbed",
                      kUnsupported[] = "unsupported_shape";

using kernels::gpu::ClockState;

// One timing of a fixed piece of work, which shows the device's clock.
struct Pulse {
  // Microseconds of the work. They change only with the clock. On a GPU the work is a run of the
  // default candidate.
  double us = 0;
  // The power limit slowed this shape's kernels. Only other programs' workers report it: this
  // program's worker lets the GPU rest in time.
  bool capped = false;
  std::optional<ClockState> clocks = {};
};

// The comparison of one run's result with the reference.
struct Verdict {
  double error = 1;   // share of wrong elements, 0..1
  std::string wrong;  // why the result is wrong despite a small share; "": it is not wrong
};

class TuningDevice {
 public:
  virtual ~TuningDevice() = default;
  // Selects `shape` for the following calls. Errors: unsupported_shape.
  virtual core::Result<Offer> Prepare(const std::string& family, const Columns& shape) = 0;
  // Runs offer.candidates[candidate] once.
  virtual core::Result<Verdict> Verify(std::size_t candidate) = 0;
  // Runs the candidate `calls` times in a row. Returns microseconds per call. During each sample,
  // the kernel's code is loaded, inputs rotate, and the device is awake. The device is not at its
  // power limit, unless FeelPulse() says so.
  virtual core::Result<double> Sample(std::size_t candidate, int calls, Cache cache) = 0;
  virtual core::Result<Pulse> FeelPulse() = 0;
};

}  // namespace tunehub::agent
