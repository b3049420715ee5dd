// HIP's driver of a GPU that is not there: memory is this process's, code objects are known by
// their address, and launches run in the emulator. What the host side asks of a driver, it gets;
// what hardware and the real driver make of it, this does not show.
#pragma once

#include "kernels/amd/catalog.h"
#include "kernels/gpu/driver.h"

namespace tunehub::kernels::amd {

struct EmulatedGpu {
  Arch arch = Arch::kGfx942;
  int cu_num = 304;
  // The function that writes nothing; "": none.
  std::string broken;
  // The function that faults as an access beyond a buffer does, and takes the device along.
  std::string faulty;
};

// One at a time in a process.
gpu::Driver EmulatedDriver(const EmulatedGpu& emulated);

}  // namespace tunehub::kernels::amd
