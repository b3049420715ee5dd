// The frequency at which a GPU really ran, from the counters of its multiprocessors. The management
// library's figure lags by 0.1 s.
#pragma once

#include <cstddef>

#include "core/base/result.h"
#include "kernels/gpu/modules.h"
#include "kernels/gpu/stream.h"

namespace tunehub::kernels::gpu {

class SmClock {
 public:
  // Errors: the driver's errors.
  static core::Result<SmClock> Make(const Driver& driver);

  // Begin() and End() put a reading of the counters into the stream. End() then waits for the
  // stream. Returns the mean frequency between the two readings in MHz. 0: unknown, since the time
  // was too short, or different multiprocessors ran the readings, or the driver is not CUDA.
  core::Status Begin(Modules& modules, hipStream_t stream);
  core::Result<double> End(Modules& modules, hipStream_t stream);

 private:
  core::Status Read(Modules& modules, hipStream_t stream, std::size_t at);

  Memory readings_;  // empty: the driver is not CUDA
};

}  // namespace tunehub::kernels::gpu
