// AMD's kernels as a KernelSet: the catalog's candidates, the plan's launches, and the code objects
// in this program.
#pragma once

#include "kernels/gpu/kernel_set.h"

namespace tunehub::kernels::amd {

class AmdSet : public gpu::KernelSet {
 public:
  bool Serves(const gpu::DeviceProperties& device) const override;
  std::string Chips() const override;
  std::vector<std::string> Names(std::string_view family,
                                 const gpu::DeviceProperties& device) const override;
  // The shape key of a block-scaled GEMM may not determine the encoding of fp8. This function then
  // selects the chip's encoding. If the shape key names the encoding of another chip, the problem
  // has no candidates.
  Problem InEncoding(const Problem& problem, const gpu::DeviceProperties& device) const override;
  std::vector<Candidate> Candidates(const Problem& problem,
                                    const gpu::DeviceProperties& device) const override;
  std::size_t WorkspaceBytes(const Problem& problem, const Candidate& candidate,
                             const gpu::DeviceProperties& device) const override;
  core::Result<gpu::Launches> Plan(const Problem& problem, const Candidate& candidate,
                                   const gpu::DeviceProperties& device, const gpu::Driver& driver,
                                   const gpu::Addresses& addresses) const override;
};

}  // namespace tunehub::kernels::amd
