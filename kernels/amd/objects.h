// The code objects that this program carries.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "kernels/amd/config.h"
#include "kernels/amd/embedded_object.h"

namespace tunehub::kernels::amd {

// An ELF for hipModuleLoadData, with the functions of a Module; empty where the build's compiler
// could not make it.
inline std::span<const std::byte> ObjectOf(std::string_view file, Arch arch) {
  for (const auto& object : EmbeddedObjects()) {
    if (object.file == file && object.arch == arch) return {object.begin, object.end};
  }
  return {};
}

}  // namespace tunehub::kernels::amd
