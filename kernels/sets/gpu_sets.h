// Lists the sets of GPU kernels in this build, for the tuner's worker and for the dispatch library.
#pragma once

#include <vector>

#include "kernels/gpu/kernel_set.h"

namespace tunehub::kernels {

// A device uses the first set that supports it.
const std::vector<const gpu::KernelSet*>& GpuSets();

}  // namespace tunehub::kernels
