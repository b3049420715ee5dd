// NVIDIA's management library: a GPU's clocks, load, memory and processes. Opened at run time, like
// the driver; it needs no context and no memory of the device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "kernels/gpu/driver.h"

namespace tunehub::kernels::gpu {

// "0000:c1:00.0"; "" if the driver does not say.
std::string PciAddress(const Driver& driver, int index);

class Nvml {
 public:
  // The GPU at `address` ("0000:c1:00.0"). If that is "": the library's number `index`, which may
  // differ from a driver's. Errors: no_library, no_device.
  static core::Result<Nvml> Open(int index, const std::string& address = "");

  std::string DriverVersion() const;  // "580.159.04"; "" where it does not say
  std::string ClocksText() const;     // "SM 1980 MHz, memory 3201 MHz"
  std::string PciId() const;          // "10de:2335"; "" where it does not say
  double PowerLimit() const;          // watts; 0 where it does not say
  // Percent of the last moment in which kernels ran; -1 if unknown.
  int BusyPercent() const;
  std::uint64_t FreeBytes() const;  // of the device's memory; ~0 where it does not say
  // The processes that compute on it, by this host's pids.
  std::vector<int> Processes() const;

 private:
  struct Functions {
    int (*driver_version)(char*, unsigned) = nullptr;
    int (*device)(unsigned, void**) = nullptr;
    int (*device_at)(const char*, void**) = nullptr;
    int (*clock)(void*, int, unsigned*) = nullptr;
    int (*load)(void*, unsigned*) = nullptr;
    int (*memory)(void*, unsigned long long*) = nullptr;
    int (*processes)(void*, unsigned*, void*) = nullptr;
    int (*pci)(void*, void*) = nullptr;              // null: a library that lacks it
    int (*power_limit)(void*, unsigned*) = nullptr;  // null: as pci
  };
  unsigned Clock(int kind) const;

  Functions functions_;
  void* device_ = nullptr;
};

}  // namespace tunehub::kernels::gpu
