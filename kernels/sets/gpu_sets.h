// Every set of kernels that this build has for GPUs: the one list that the tuner's worker and the
// dispatch library share.
#pragma once

#include <vector>

#include "kernels/gpu/kernel_set.h"

namespace tunehub::kernels {

// The first that serves a device runs on it.
const std::vector<const gpu::KernelSet*>& GpuSets();

}  // namespace tunehub::kernels
