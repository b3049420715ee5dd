// AMD's kernels as the set that a driver runs. It has the catalog's candidates, the plan's
// launches, and the code objects that this program carries.
#pragma once

#include "kernels/gpu/kernel_set.h"

namespace tunehub::kernels::amd {

class AmdSet : public gpu::KernelSet {
 public:
  bool Serves(const gpu::DeviceProperties& device) const override;
  std::string Chips() const override;
  std::vector<std::string> Names(std::string_view family,
                                 const gpu::DeviceProperties& device) const override;
  // A block-scaled GEMM's shape key may leave the encoding of fp8 open; then this takes the chip's.
  // If the shape key names the encoding of another chip, the problem has no candidates.
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
