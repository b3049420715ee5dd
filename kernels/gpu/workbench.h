// One problem on a GPU: inputs, the reference output, and functions to run and time any candidate.
// kernels/cpu/workbench.h is the counterpart for CPUs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "kernels/gpu/cache.h"
#include "kernels/gpu/kernel_set.h"
#include "kernels/reference.h"

namespace tunehub::kernels::gpu {

struct GpuWorkbenchOptions {
  std::uint64_t seed = 1;
  std::uint64_t rotating_bytes = 0;  // 0: twice the device's last-level cache, at least 128 MiB
  std::uint64_t reference_work = 400'000'000;  // the most multiply-adds of the float64 reference
  int threads = 1;                             // host threads for the operands and the reference
};

class GpuWorkbench {
 public:
  // All arguments but `problem` must outlive the object. Errors: out_of_memory, unsupported_shape
  // (no candidate); the driver's errors.
  static core::Result<GpuWorkbench> Make(const Problem& problem, const KernelSet& kernels,
                                         const Driver& driver, const DeviceProperties& device,
                                         const GpuWorkbenchOptions& options);
  GpuWorkbench(GpuWorkbench&&) noexcept;
  GpuWorkbench& operator=(GpuWorkbench&&) noexcept;
  GpuWorkbench(const GpuWorkbench&) = delete;
  GpuWorkbench& operator=(const GpuWorkbench&) = delete;
  ~GpuWorkbench();

  const std::vector<Candidate>& candidates() const;  // the first is the default
  std::size_t input_sets() const;
  double load_ms() const;  // total time to load modules so far

  // Runs the candidate once with an output filled with NaN. Compares the reference's rows. Checks
  // that every element of all rows was written. Errors: the driver's errors.
  core::Result<Check> Verify(std::size_t candidate);
  // The mean time of `calls` launches in one graph, in microseconds. Errors: the driver's errors.
  core::Result<double> TimeMicroseconds(std::size_t candidate, int calls,
                                        Cache cache = Cache::kRotating);
  // The default candidate's time on this problem. If this time changes, the GPU's clock has
  // changed.
  core::Result<double> PulseMicroseconds();
  // The GPU's mean frequency during the last of these times; 0: unknown, as SmClock says.
  double sm_mhz() const;

 private:
  struct State;
  explicit GpuWorkbench(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tunehub::kernels::gpu
