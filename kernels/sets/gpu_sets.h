// The sets of GPU kernels of this build: one list for the tuner's worker and the dispatch library.
#pragma once

#include <vector>

#include "kernels/gpu/kernel_set.h"

namespace tunehub::kernels {

// A device runs the first set that serves it.
const std::vector<const gpu::KernelSet*>& GpuSets();

}  // namespace tunehub::kernels
