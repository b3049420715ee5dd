// A HIP driver without a GPU. Memory is this process's, an address identifies a code object, and
// launches run in the emulator. It serves all calls of the host side. It does not show how
// hardware or the real driver behave.
#pragma once

#include "kernels/amd/catalog.h"
#include "kernels/gpu/driver.h"

namespace tunehub::kernels::amd {

struct EmulatedGpu {
  Arch arch = Arch::kGfx942;
  int cu_num = 304;
  // The function that writes nothing; "": none.
  std::string broken;
  // The function that faults like an access out of bounds; the device is lost afterwards.
  std::string faulty;
};

// One at a time in a process.
gpu::Driver EmulatedDriver(const EmulatedGpu& emulated);

}  // namespace tunehub::kernels::amd
