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
  std::uint64_t cache_bytes = 0;  // the last level
  int driver_version = 0;         // as the driver counts: 13000
};

// Makes the device this thread's current one, and keeps its primary context for the life of the
// process. Errors: no_device (no such index), those of the driver.
core::Result<DeviceProperties> UseDevice(const Driver& driver, int index);

// Only the properties: needs no context, and changes no current device.
core::Result<DeviceProperties> DescribeDevice(const Driver& driver, int index);

// A remote device, as far as its target tells.
DeviceProperties PropertiesOf(const core::Target& target);

// The index of this thread's current device. A thread that has chosen none gets the primary context
// of device 0, as the vendors' run-time libraries have it. Errors: those of the driver.
core::Result<int> CurrentDevice(const Driver& driver);

// The number of devices; 0 if the driver does not say.
int DeviceCount(const Driver& driver);

// The last cache of a chip whose driver reports `l2_bytes`: MI300X and MI355X have 256 MiB behind
// their L2 (AMD CDNA 3 and CDNA 4 white papers). Only inputs that exceed it come from memory.
std::uint64_t LastLevelCacheBytes(std::string_view gfx, std::uint64_t l2_bytes);

// "gfx942:sramecc+:xnack-" -> "gfx942".
std::string GfxOfArchName(std::string_view name);

}  // namespace tunehub::kernels::gpu
