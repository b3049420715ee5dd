#pragma once

#include <optional>

#include "agent/worker/runner.h"
#include "kernels/cpu/workbench.h"

namespace tunehub::agent::worker {

class CpuRunner : public Runner {
 public:
  core::Result<nlohmann::json> Device() override;
  core::Result<std::vector<std::string>> Kernels(const std::string& family) override;
  core::Result<Offered> Prepare(const kernels::Problem& problem, std::uint64_t seed) override;
  core::Result<kernels::Check> Verify(std::size_t candidate) override;
  core::Result<double> Sample(std::size_t candidate, int calls, kernels::gpu::Cache cache) override;
  core::Result<double> Pulse() override;

 private:
  std::vector<kernels::Candidate> candidates_;
  std::optional<kernels::Workbench> bench_;
};

}  // namespace tunehub::agent::worker
