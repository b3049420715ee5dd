// The GPUs of this process, each described and given its modules once, by the driver's id.
#pragma once

#include <mutex>

#include "core/base/result.h"
#include "kernels/gpu/device.h"
#include "kernels/gpu/kernel_set.h"
#include "kernels/gpu/modules.h"

namespace tunehub::th {

class Gpu {
 public:
  Gpu(const kernels::gpu::Driver& driver, kernels::gpu::DeviceProperties device);

  const kernels::gpu::Driver& driver() const { return driver_; }
  const kernels::gpu::DeviceProperties& device() const { return device_; }

  // Puts the launches into the stream, nothing of another thread's between them; loads their code
  // where this is the first time. From any thread whose current GPU this is. Errors: those of
  // Modules::Run.
  core::Status Run(const kernels::gpu::Launches& launches, hipStream_t stream);

 private:
  const kernels::gpu::Driver& driver_;
  const kernels::gpu::DeviceProperties device_;
  std::mutex mutex_;  // of modules_
  kernels::gpu::Modules modules_;
};

// The calling thread's current GPU; it stays for the life of the process. Errors: those of
// ThisDriver, CurrentDevice and DescribeDevice.
core::Result<Gpu*> CurrentGpu();

}  // namespace tunehub::th
