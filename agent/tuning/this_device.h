// The device that this host tunes on, and what a person wants to know of it.
#pragma once

#include <cstdint>
#include <string>

#include "agent/configuration.h"
#include "agent/tuning/tuned_row.h"
#include "agent/tuning/worker_device.h"

namespace tunehub::agent::tuning {

struct DeviceInfo {
  std::string kind;  // "cpu", "amd"
  std::string name;  // "AMD EPYC 9654 96-Core Processor"; "" where the system does not say
  std::string isa;   // "x86-64-v4", "gfx942"
  Target target;
  std::uint64_t memory_bytes = 0;  // that a process may use; 0: unknown
};

// Errors: no_device.
core::Result<DeviceInfo> ThisCpuDevice();

// The first GPU that the kernel driver lists below `root`/sys/class/kfd, read without any of AMD's
// libraries. Errors: no_device.
core::Result<DeviceInfo> AmdDevice(const std::filesystem::path& root);

// The worker that runs candidates on it. `program`: "" for the one beside this program.
WorkerOptions WorkerFor(const Configuration& configuration, const std::string& program);

}  // namespace tunehub::agent::tuning
