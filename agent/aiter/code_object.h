// The kernels of a GPU code object, the ELF files that AITER ships under hsa/<gfx>/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::agent {

// Each kernel has a descriptor NAME.kd among the symbols; the names, sorted. Errors:
// bad_code_object (no 64-bit little-endian ELF, or a table that leaves the file).
core::Result<std::vector<std::string>> KernelsOfCodeObject(std::string_view bytes);

}  // namespace tunehub::agent
