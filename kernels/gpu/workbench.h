// One problem on a GPU: inputs, reference output, and a way to run and time any candidate. The
// counterpart of kernels/cpu/workbench.h.
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
  std::uint64_t reference_work = 400'000'000;  // multiply-adds that the float64 reference may cost
  int threads = 1;                             // host threads that compute the reference
};

class GpuWorkbench {
 public:
  // All arguments but `problem` must outlive it. Errors: out_of_memory, unsupported_shape (no
  // candidate), those of the driver.
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
  double load_ms() const;  // time that modules took to load, so far

  // Runs the candidate once with a poisoned output. Compares the reference's rows, and checks on
  // all rows that every element was written. Errors: those of the driver.
  core::Result<Check> Verify(std::size_t candidate);
  // Microseconds of one launch, the mean of `calls` in one graph. Errors: those of the driver.
  core::Result<double> TimeMicroseconds(std::size_t candidate, int calls,
                                        Cache cache = Cache::kRotating);
  // The default candidate's time on this problem. If it changes, the GPU's clock has changed.
  core::Result<double> PulseMicroseconds();

 private:
  struct State;
  explicit GpuWorkbench(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tunehub::kernels::gpu
