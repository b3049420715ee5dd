#include "kernels/sets/gpu_sets.h"

#include "kernels/amd/amd_set.h"
#include "kernels/nvidia/sm90_set.h"

namespace tunehub::kernels {

const std::vector<const gpu::KernelSet*>& GpuSets() {
  static const amd::AmdSet kAmd;
  static const nvidia::Sm90Set kSm90;
  static const std::vector<const gpu::KernelSet*> sets = {&kAmd, &kSm90};
  return sets;
}

}  // namespace tunehub::kernels
