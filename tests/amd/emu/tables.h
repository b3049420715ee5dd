// One function per file of kernels/amd. Two files that share their kernels share one source here.
#pragma once

#include <vector>

#include "tests/amd/emu/instances.h"

namespace tunehub::kernels::emu {

std::vector<Function> FunctionsOfA8w8();
std::vector<Function> FunctionsOfA8w8Blockscale();
std::vector<Function> FunctionsOfA8w8Fp8();
std::vector<Function> FunctionsOfBatchedA8w8();
std::vector<Function> FunctionsOfBatchedBf16();
std::vector<Function> FunctionsOfBf16();

}  // namespace tunehub::kernels::emu
