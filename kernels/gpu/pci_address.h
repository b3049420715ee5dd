// Where a GPU is in its host: what it is called by, whatever the order in which a driver lists it.
#pragma once

#include <string>

#include "kernels/gpu/driver.h"

namespace tunehub::kernels::gpu {

// "0000:c1:00.0"; "" where the driver does not say.
std::string PciAddress(const Driver& driver, int index);

}  // namespace tunehub::kernels::gpu
