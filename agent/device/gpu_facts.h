// What a measurement on a GPU depends on beside its architecture: which product it is, how it is
// partitioned, how much power it may take.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/device/this_device.h"
#include "core/family/targets.h"

namespace tunehub::agent {

// Reads the PCI id, the compute and the memory partition and the power limit below
// `root`/sys/bus/pci/devices/ADDRESS, and leaves alone what stands nowhere there. A partition has a
// PCI function of its own that may not be listed; its GPU is function 0.
void ReadGpuFacts(const std::filesystem::path& root, DeviceInfo& device);

// By its PCI id, or else its name; null: unknown, or a name that several products share.
const core::Device* ProductOf(const DeviceInfo& device, const core::Devices& devices);

// All that a run says of its device, as name=value: product, gpu, pci_id, gfx, cu_num, driver,
// partition, memory_partition, power_limit; what nobody knows is left out.
std::vector<std::string> DeviceMembers(const DeviceInfo& device, const core::Devices& devices);

// "MI325X (gfx942:304)"; where the product is unknown all that it may be, as Devices::TargetName.
std::string NameOf(const DeviceInfo& device, const core::Devices& devices);

}  // namespace tunehub::agent
