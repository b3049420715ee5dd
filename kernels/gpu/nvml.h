// Reads a GPU's clocks, load, memory and processes by NVIDIA's management library (NVML). The
// program opens NVML at run time, like the driver. NVML needs no context and no memory of the
// device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "kernels/gpu/driver.h"

namespace tunehub::kernels::gpu {

// "0000:c1:00.0"; "" if the driver does not report it.
std::string PciAddress(const Driver& driver, int index);

// The state of a GPU that affects its times, at one moment. 0: unknown.
struct ClockState {
  double sm_mhz = 0, memory_mhz = 0, celsius = 0, watts = 0;
  std::uint32_t throttle = 0;  // the driver's reasons for a lower clock, as bits
};

class Nvml {
 public:
  // Opens the GPU at `address` ("0000:c1:00.0"). If `address` is "", opens the GPU with the
  // library's number `index`, which may differ from the driver's number. Errors: no_library,
  // no_device.
  static core::Result<Nvml> Open(int index, const std::string& address = "");

  std::string DriverVersion() const;  // "580.159.04"; "" if unknown
  std::string ClocksText() const;     // "SM 1980 MHz, memory 3201 MHz"
  std::string PciId() const;          // "10de:2335"; "" if unknown
  double PowerLimit() const;          // watts; 0 if unknown
  ClockState Clocks() const;
  // The share of the last moment in which kernels ran, in percent; -1 if unknown.
  int BusyPercent() const;
  std::uint64_t FreeBytes() const;  // free bytes of the device's memory; ~0 if unknown
  // The pids of the processes of this host that compute on the GPU.
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
    int (*pci)(void*, void*) = nullptr;              // null if the library lacks it
    int (*power_limit)(void*, unsigned*) = nullptr;  // null if the library lacks it
    // The functions below may also be null.
    int (*power)(void*, unsigned*) = nullptr;
    int (*temperature)(void*, int, unsigned*) = nullptr;
    int (*throttle)(void*, unsigned long long*) = nullptr;
  };
  unsigned Clock(int kind) const;

  Functions functions_;
  void* device_ = nullptr;
};

}  // namespace tunehub::kernels::gpu
