// The kernels of one kind of GPU: a problem's candidates and their launches. There is one set for
// AMD and one for NVIDIA. All other files of this folder serve both kinds.
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

// One launch of one kernel, as plain data. A set of kernels plans it, and any driver can run it.
struct Launch {
  // AMD's ELF, or NVIDIA's PTX or cubin. A zero byte follows PTX. The bytes must not move during
  // the life of the process, because their address identifies the code.
  std::string_view code;
  std::string function;
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  unsigned cluster = 1;  // blocks along x that run together; 1 for AMD
  // True: the kernel's blocks share all work, so any number of blocks is correct. The launch then
  // uses at most the number of blocks that run at one time, because more blocks would start late.
  bool any_grid = false;
  unsigned shared_bytes = 0;
  std::vector<std::byte> arguments;  // the bytes of the kernel's only parameter, a struct
};

// The launches that compute a problem once, in this order. The second launch may add the slices of
// a split K.
using Launches = std::vector<Launch>;

// Addresses on the device, in the layouts of kernels/operands.h.
struct Addresses {
  void *a = nullptr, *a_scale = nullptr, *w = nullptr, *w_scale = nullptr, *out = nullptr;
  // At least KernelSet::WorkspaceBytes bytes of any content.
  void* workspace = nullptr;
};

class KernelSet {
 public:
  virtual ~KernelSet() = default;

  // True if the set contains code for this architecture.
  virtual bool Serves(const DeviceProperties& device) const = 0;
  // Returns the architectures of the set's code, as text: "gfx90a, gfx942". If there are none,
  // returns the reason.
  virtual std::string Chips() const = 0;
  // A family's kernels that the device can run, for any shape, ordered by kernel id.
  virtual std::vector<std::string> Names(std::string_view family,
                                         const DeviceProperties& device) const = 0;
  // Returns the problem with the device's encoding of fp8, if the shape key does not determine the
  // encoding. Pass the result to the other functions.
  virtual Problem InEncoding(const Problem& problem, const DeviceProperties& /*device*/) const {
    return problem;
  }
  // Every valid candidate for the problem on the device, in a fixed order. The first candidate is
  // the untuned kernel. Empty: no kernel of this set computes the problem.
  virtual std::vector<Candidate> Candidates(const Problem& problem,
                                            const DeviceProperties& device) const = 0;
  // Precondition of WorkspaceBytes and Plan: `candidate` is one of Candidates.
  virtual std::size_t WorkspaceBytes(const Problem& problem, const Candidate& candidate,
                                     const DeviceProperties& device) const = 0;
  // Errors: unknown_kernel, kernel_not_valid; the driver's errors.
  virtual core::Result<Launches> Plan(const Problem& problem, const Candidate& candidate,
                                      const DeviceProperties& device, const Driver& driver,
                                      const Addresses& addresses) const = 0;
};

struct ThisGpu {
  const Driver* driver = nullptr;
  DeviceProperties device;
  const KernelSet* kernels = nullptr;  // one of the given sets
};

// The error wrong_arch. The detail names the device and the architectures for which the sets
// contain code.
core::Error NoKernelsFor(const DeviceProperties& device, const std::vector<const KernelSet*>& sets);

// The first of `sets` that supports the device. Errors: as NoKernelsFor.
core::Result<const KernelSet*> SetFor(const DeviceProperties& device,
                                      const std::vector<const KernelSet*>& sets);

// Errors: as ThisDriver, UseDevice and SetFor.
core::Result<ThisGpu> OpenGpu(int index, const std::vector<const KernelSet*>& sets);
// Does the same with another driver, which must outlive the result.
core::Result<ThisGpu> OpenGpu(const core::Result<Driver>& driver, int index,
                              const std::vector<const KernelSet*>& sets);

}  // namespace tunehub::kernels::gpu
