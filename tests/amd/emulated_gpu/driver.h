// A HIP driver without a GPU. Its memory is this process's, an address identifies a code object,
// and the emulator runs the launches. It implements all calls of the host side. It does not show
// how hardware or the real driver behave.
#pragma once

#include "kernels/amd/catalog.h"
#include "kernels/gpu/driver.h"

namespace tunehub::kernels::amd {

struct EmulatedGpu {
  Arch arch = Arch::kGfx942;
  int cu_num = 304;
  // This function writes nothing; "": no function.
  std::string broken;
  // This function makes an access out of bounds, after which the device is lost.
  std::string faulty;
};

// A process may use one driver at a time.
gpu::Driver EmulatedDriver(const EmulatedGpu& emulated);

}  // namespace tunehub::kernels::amd
