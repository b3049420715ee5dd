// NVIDIA's kernels for compute capability 9.0 (H100, H200).
#pragma once

#include "kernels/gpu/kernel_set.h"

namespace tunehub::kernels::nvidia {

class Sm90Set : public gpu::KernelSet {
 public:
  bool Serves(const gpu::DeviceProperties& device) const override;
  std::string Chips() const override;
  std::vector<std::string> Names(std::string_view family,
                                 const gpu::DeviceProperties& device) const override;
  std::vector<Candidate> Candidates(const Problem& problem,
                                    const gpu::DeviceProperties& device) const override;
  std::size_t WorkspaceBytes(const Problem& problem, const Candidate& candidate,
                             const gpu::DeviceProperties& device) const override;
  core::Result<gpu::Launches> Plan(const Problem& problem, const Candidate& candidate,
                                   const gpu::DeviceProperties& device, const gpu::Driver& driver,
                                   const gpu::Addresses& addresses) const override;
};

}  // namespace tunehub::kernels::nvidia
