// The kernels of one kind of GPU: a problem's candidates, and their launches. AMD's and NVIDIA's
// are one set each; everything else in this folder serves both.
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

// One launch of one kernel, as plain data: a set of kernels plans it, and any driver runs it.
struct Launch {
  // An ELF of AMD's, or NVIDIA's PTX or cubin; a zero byte follows PTX. It stays in place for the
  // life of the process: its address is its identity.
  std::string_view code;
  std::string function;
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  unsigned cluster = 1;  // blocks along x that run together; 1 with AMD
  // The kernel's blocks stay and share the work, whatever their number. More than run at one time
  // would begin only after the others' work: clusters do not always fill a device.
  bool any_grid = false;
  unsigned shared_bytes = 0;
  std::vector<std::byte> arguments;  // the kernel's one parameter, a structure, byte by byte
};

// Launches that compute a problem once, in this order; a second kernel may add a split K.
using Launches = std::vector<Launch>;

// Addresses on the device, in the layouts of kernels/operands.h.
struct Addresses {
  void *a = nullptr, *a_scale = nullptr, *w = nullptr, *w_scale = nullptr, *out = nullptr;
  // At least KernelSet::WorkspaceBytes, of any content.
  void* workspace = nullptr;
};

class KernelSet {
 public:
  virtual ~KernelSet() = default;

  // Whether it has code for this architecture.
  virtual bool Serves(const DeviceProperties& device) const = 0;
  // The architectures that it has code for, for people: "gfx90a, gfx942"; the reason if there are
  // none.
  virtual std::string Chips() const = 0;
  // A family's kernels that the device can run, for any shape, in the order of the kernel ids.
  virtual std::vector<std::string> Names(std::string_view family,
                                         const DeviceProperties& device) const = 0;
  // The problem as the device multiplies it, if its shape key leaves the encoding of fp8 open. The
  // other functions take this one.
  virtual Problem InEncoding(const Problem& problem, const DeviceProperties& /*device*/) const {
    return problem;
  }
  // Every candidate that is valid for the problem on the device, in a fixed order; the first is the
  // untuned kernel. Empty: no kernel of this set computes the problem.
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

struct ThisGpu {
  const Driver* driver = nullptr;
  DeviceProperties device;
  const KernelSet* kernels = nullptr;  // one of those given
};

// wrong_arch: names the device, and what the sets have code for.
core::Error NoKernelsFor(const DeviceProperties& device, const std::vector<const KernelSet*>& sets);

// The first of `sets` that serves the device. Errors: NoKernelsFor.
core::Result<const KernelSet*> SetFor(const DeviceProperties& device,
                                      const std::vector<const KernelSet*>& sets);

// Errors: those of ThisDriver, UseDevice and SetFor.
core::Result<ThisGpu> OpenGpu(int index, const std::vector<const KernelSet*>& sets);
// Likewise with another driver, which must outlive the result.
core::Result<ThisGpu> OpenGpu(const core::Result<Driver>& driver, int index,
                              const std::vector<const KernelSet*>& sets);

}  // namespace tunehub::kernels::gpu
