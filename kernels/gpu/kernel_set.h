// The kernels of one kind of GPU: which candidates a problem has, and what launches them. AMD's and
// NVIDIA's are each one of these; everything else in this folder serves both.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "kernels/candidate.h"
#include "kernels/gpu/device.h"
#include "kernels/gpu/launch.h"
#include "kernels/problem.h"

namespace tunehub::kernels::gpu {

// Addresses on the device, in the layouts of kernels/operands.h.
struct Addresses {
  void *a = nullptr, *a_scale = nullptr, *w = nullptr, *w_scale = nullptr, *out = nullptr;
  // At least KernelSet::WorkspaceBytes; what is in it does not matter.
  void* workspace = nullptr;
};

class KernelSet {
 public:
  virtual ~KernelSet() = default;

  // Whether it has code for this architecture.
  virtual bool Serves(const DeviceProperties& device) const = 0;
  // The architectures that it has code for, for people: "gfx90a, gfx942"; where there are none,
  // why.
  virtual std::string Chips() const = 0;
  // The kernels of a family that the device can run, whatever the shape; their order is that of the
  // kernel ids.
  virtual std::vector<std::string> Names(std::string_view family,
                                         const DeviceProperties& device) const = 0;
  // The problem as the device multiplies it, where its key leaves the encoding of fp8 open: what
  // the other functions are asked about.
  virtual Problem InEncoding(const Problem& problem, const DeviceProperties& /*device*/) const {
    return problem;
  }
  // Every candidate that is valid for the problem on the device, in a fixed order; the first is
  // what runs where nothing was tuned. Empty: no kernel of this set computes the problem.
  virtual std::vector<Candidate> Candidates(const Problem& problem,
                                            const DeviceProperties& device) const = 0;
  // Precondition of both: one of Candidates.
  virtual std::size_t WorkspaceBytes(const Problem& problem, const Candidate& candidate,
                                     const DeviceProperties& device) const = 0;
  // Errors: unknown_kernel, kernel_not_valid, those of the driver.
  virtual core::Result<Launches> Plan(const Problem& problem, const Candidate& candidate,
                                      const DeviceProperties& device, const Driver& driver,
                                      const Addresses& addresses) const = 0;
};

}  // namespace tunehub::kernels::gpu
