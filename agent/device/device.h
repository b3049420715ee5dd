// What runs candidates: the one thing that the tuner asks of a machine. The real one is a worker
// process (worker_device.h); tests give a fake with a clock of its own.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "agent/device/measurement.h"
#include "core/base/result.h"
#include "kernels/gpu/cache.h"

namespace tunehub::agent {

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
