#pragma once

#include <optional>

#include "agent/worker/runner.h"
#include "kernels/gpu/this_gpu.h"
#include "kernels/gpu/workbench.h"

namespace tunehub::agent::worker {

// The runner's answer where a workbench could not be made: a shape that no kernel computes, or that
// the memory does not hold, is that shape's affair (unsupported_shape); after anything else nothing
// can be asked of this process's device (kLost).
core::Error NotPrepared(const core::Error& error);

class GpuRunner : public Runner {
 public:
  using DriverSource = const core::Result<kernels::gpu::Driver>& (*)();
  // The GPU is opened by the first call that needs it. `index`: among those that the driver sees.
  explicit GpuRunner(int index, DriverSource driver = kernels::gpu::ThisDriver)
      : index_(index), driver_(driver) {}

  core::Result<nlohmann::json> Device() override;
  core::Result<std::vector<std::string>> Kernels(const std::string& family) override;
  core::Result<Offered> Prepare(const kernels::Problem& problem, std::uint64_t seed) override;
  core::Result<kernels::Check> Verify(std::size_t candidate) override;
  core::Result<double> Sample(std::size_t candidate, int calls, kernels::gpu::Cache cache) override;
  core::Result<double> Pulse() override;

 private:
  core::Status Open();

  int index_;
  DriverSource driver_;
  std::optional<kernels::gpu::ThisGpu> gpu_;
  std::optional<kernels::gpu::GpuWorkbench> bench_;
};

}  // namespace tunehub::agent::worker
