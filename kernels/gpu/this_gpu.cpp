#include "kernels/gpu/this_gpu.h"

namespace tunehub::kernels::gpu {

core::Result<ThisGpu> OpenGpu(int index, const std::vector<const KernelSet*>& sets) {
  const auto& driver = ThisDriver();
  if (!driver.ok()) return driver.error();
  auto device = UseDevice(*driver, index);
  if (!device.ok()) return device.error();
  for (const KernelSet* set : sets) {
    if (set->Serves(*device)) return ThisGpu{&*driver, *std::move(device), set};
  }
  return core::Error{kWrongArch, device->name + " is " + device->target.gfx +
                                     ": this build has no kernels for it"};
}

}  // namespace tunehub::kernels::gpu
