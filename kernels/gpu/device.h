// One GPU: its properties, and this process's context on it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "kernels/device.h"
#include "kernels/gpu/driver.h"

namespace tunehub::kernels::gpu {

struct DeviceProperties {
  Api api = Api::kHip;
  int index = 0;
  std::string name;     // "NVIDIA H200"
  core::Target target;  // {"gfx942", 304}, {"sm_90", 132}
  std::uint64_t memory_bytes = 0;
  std::uint64_t cache_bytes = 0;  // size of the last-level cache
  double full_mhz = 0;            // the multiprocessors' highest frequency
  int driver_version = 0;         // in the driver's own form: 13000
};

// Makes the device this thread's current device. Its primary context lives as long as the process.
// Errors: no_device (no such index); the driver's errors.
core::Result<DeviceProperties> UseDevice(const Driver& driver, int index);

// Reads only the properties. Needs no context and does not change the current device.
core::Result<DeviceProperties> DescribeDevice(const Driver& driver, int index);

// Returns the properties of a remote device that follow from its target.
DeviceProperties PropertiesOf(const core::Target& target);

// The index of this thread's current device. If the thread has not chosen a device, it gets the
// primary context of device 0, as with the vendors' run-time libraries. Errors: the driver's
// errors.
core::Result<int> CurrentDevice(const Driver& driver);

// The number of devices; 0 if the driver does not report it.
int DeviceCount(const Driver& driver);

// The size of a chip's last-level cache: 256 MiB on MI300X and MI355X (AMD CDNA 3 and CDNA 4 white
// papers), the driver's `l2_bytes` on other chips. Only inputs that exceed this size come from
// memory.
std::uint64_t LastLevelCacheBytes(std::string_view gfx, std::uint64_t l2_bytes);

// "gfx942:sramecc+:xnack-" -> "gfx942".
std::string GfxOfArchName(std::string_view name);

}  // namespace tunehub::kernels::gpu
