// AMD's kernels as the set that a driver runs: the catalog's candidates, the plan's launches, the
// code objects that this program carries.
#pragma once

#include "kernels/gpu/kernel_set.h"

namespace tunehub::kernels::amd {

class AmdSet : public gpu::KernelSet {
 public:
  bool Serves(const gpu::DeviceProperties& device) const override;
  std::string Chips() const override;
  std::vector<std::string> Names(std::string_view family,
                                 const gpu::DeviceProperties& device) const override;
  // For block-scaled GEMMs: their shape key may leave the encoding of fp8 open. A key that names
  // one has no candidates on a chip that multiplies the other.
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
