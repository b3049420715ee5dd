// The code objects that this program carries.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "kernels/amd/config.h"

namespace tunehub::kernels::amd {

// An ELF for hipModuleLoadData, with the functions of a Module; empty where the build's compiler
// could not make it.
std::span<const std::byte> ObjectOf(std::string_view file, Arch arch);

}  // namespace tunehub::kernels::amd
