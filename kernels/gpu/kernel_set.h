// The kernels of one kind of GPU: a problem's candidates and their launches. There is one set for
// AMD and one for NVIDIA; everything else in this folder serves both.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "kernels/config.h"
#include "kernels/gpu/device.h"
#include "kernels/problem.h"

namespace tunehub::kernels::gpu {

// One launch of one kernel, as plain data. A set of kernels plans it, and any driver runs it.
struct Launch {
  // An ELF of AMD's, or NVIDIA's PTX or cubin; a zero byte follows PTX. The bytes stay in place for
  // the life of the process, because their address identifies the code.
  std::string_view code;
  std::string function;
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  unsigned cluster = 1;  // blocks along x that run together; 1 for AMD
  // The kernel's blocks stay and share all work, so any number of them is correct. Blocks beyond
  // those that run at one time would begin their share late. Clusters do not always fill a device.
  bool any_grid = false;
  unsigned shared_bytes = 0;
  std::vector<std::byte> arguments;  // the bytes of the kernel's one parameter, a structure
};

// The launches that compute a problem once, in this order. The second one may add a split K.
using Launches = std::vector<Launch>;

// Addresses on the device, in the layouts of kernels/operands.h.
struct Addresses {
  void *a = nullptr, *a_scale = nullptr, *w = nullptr, *w_scale = nullptr, *out = nullptr;
  // At least KernelSet::WorkspaceBytes; its content does not matter.
  void* workspace = nullptr;
};

class KernelSet {
 public:
  virtual ~KernelSet() = default;

  // True if the set has code for this architecture.
  virtual bool Serves(const DeviceProperties& device) const = 0;
  // The architectures that the set has code for, as text: "gfx90a, gfx942"; if none, the reason.
  virtual std::string Chips() const = 0;
  // A family's kernels that the device can run, for any shape, in the order of the kernel ids.
  virtual std::vector<std::string> Names(std::string_view family,
                                         const DeviceProperties& device) const = 0;
  // The problem in the encoding of fp8 that the device multiplies, if its shape key leaves the
  // encoding open. The other functions take the result.
  virtual Problem InEncoding(const Problem& problem, const DeviceProperties& /*device*/) const {
    return problem;
  }
  // Every candidate that is valid for the problem on the device, in a fixed order; the first is the
  // untuned kernel. Empty: no kernel of this set computes the problem.
  virtual std::vector<Candidate> Candidates(const Problem& problem,
                                            const DeviceProperties& device) const = 0;
  // Precondition of WorkspaceBytes and Plan: `candidate` is one of Candidates.
  virtual std::size_t WorkspaceBytes(const Problem& problem, const Candidate& candidate,
                                     const DeviceProperties& device) const = 0;
  // Errors: unknown_kernel, kernel_not_valid, those of the driver.
  virtual core::Result<Launches> Plan(const Problem& problem, const Candidate& candidate,
                                      const DeviceProperties& device, const Driver& driver,
                                      const Addresses& addresses) const = 0;
};

struct ThisGpu {
  const Driver* driver = nullptr;
  DeviceProperties device;
  const KernelSet* kernels = nullptr;  // one of the sets given
};

// The error wrong_arch. It names the device, and the architectures that the sets have code for.
core::Error NoKernelsFor(const DeviceProperties& device, const std::vector<const KernelSet*>& sets);

// The first of `sets` that serves the device. Errors: NoKernelsFor.
core::Result<const KernelSet*> SetFor(const DeviceProperties& device,
                                      const std::vector<const KernelSet*>& sets);

// Errors: those of ThisDriver, UseDevice and SetFor.
core::Result<ThisGpu> OpenGpu(int index, const std::vector<const KernelSet*>& sets);
// The same with another driver, which must outlive the result.
core::Result<ThisGpu> OpenGpu(const core::Result<Driver>& driver, int index,
                              const std::vector<const KernelSet*>& sets);

}  // namespace tunehub::kernels::gpu
