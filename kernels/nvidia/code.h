// The compiled instances that this build carries: PTX, which NVIDIA's driver compiles when it
// loads.
#pragma once

#include <span>
#include <string_view>

namespace tunehub::kernels::nvidia {

struct Code {
  std::string_view function;  // also what finds it: format, scales, tile, stages, cluster
  std::string_view ptx;       // a zero byte follows
};

// Empty where the build had no compiler for it.
std::span<const Code> AllCode();

}  // namespace tunehub::kernels::nvidia
