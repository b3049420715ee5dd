#include "kernels/sets/gpu_sets.h"

#include "kernels/amd/amd_set.h"
#include "kernels/nvidia/sm90_set.h"

namespace tunehub::kernels {

const std::vector<const gpu::KernelSet*>& GpuSets() {
  static const amd::AmdSet of_amd;
  static const nvidia::Sm90Set of_sm90;
  static const std::vector<const gpu::KernelSet*> sets = {&of_amd, &of_sm90};
  return sets;
}

}  // namespace tunehub::kernels
