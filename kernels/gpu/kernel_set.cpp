#include "kernels/gpu/kernel_set.h"

#include <fmt/core.h>

namespace tunehub::kernels::gpu {

core::Error NoKernelsFor(const DeviceProperties& device,
                         const std::vector<const KernelSet*>& sets) {
  std::string chips;
  for (const KernelSet* set : sets) chips += (chips.empty() ? "" : "; ") + set->Chips();
  return {kWrongArch,
          fmt::format("{} is {}, for which this build has no kernels; it has kernels for {}",
                      device.name, device.target.gfx, chips.empty() ? "no GPU" : chips)};
}

core::Result<const KernelSet*> SetFor(const DeviceProperties& device,
                                      const std::vector<const KernelSet*>& sets) {
  for (const KernelSet* set : sets) {
    if (set->Serves(device)) return set;
  }
  return NoKernelsFor(device, sets);
}

core::Result<ThisGpu> OpenGpu(int index, const std::vector<const KernelSet*>& sets) {
  return OpenGpu(ThisDriver(), index, sets);
}

core::Result<ThisGpu> OpenGpu(const core::Result<Driver>& driver, int index,
                              const std::vector<const KernelSet*>& sets) {
  if (!driver.ok()) return driver.error();
  auto device = UseDevice(*driver, index);
  if (!device.ok()) return device.error();
  const auto set = SetFor(*device, sets);
  if (!set.ok()) return set.error();
  return ThisGpu{&*driver, *std::move(device), *set};
}

}  // namespace tunehub::kernels::gpu
