// The GPU that this process works on, ready to run kernels.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "kernels/gpu/device.h"
#include "kernels/gpu/kernel_set.h"

namespace tunehub::kernels::gpu {

struct ThisGpu {
  const Driver* driver = nullptr;
  DeviceProperties device;
  const KernelSet* kernels = nullptr;  // one of those given
};

// wrong_arch: what the device is, and what the sets have code for.
core::Error NoKernelsFor(const DeviceProperties& device, const std::vector<const KernelSet*>& sets);

// The first of `sets` that serves the device. Errors: NoKernelsFor.
core::Result<const KernelSet*> SetFor(const DeviceProperties& device,
                                      const std::vector<const KernelSet*>& sets);

// Errors: those of ThisDriver, UseDevice and SetFor.
core::Result<ThisGpu> OpenGpu(int index, const std::vector<const KernelSet*>& sets);
// The same by another driver, which must outlive what is returned.
core::Result<ThisGpu> OpenGpu(const core::Result<Driver>& driver, int index,
                              const std::vector<const KernelSet*>& sets);

}  // namespace tunehub::kernels::gpu
