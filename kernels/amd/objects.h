// The code objects that this program contains.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/amd/config.h"

namespace tunehub::kernels::amd {

struct EmbeddedObject {
  std::string_view file;
  Arch arch;
  const std::byte* begin;
  const std::byte* end;
};
// The build generates this list.
std::vector<EmbeddedObject> EmbeddedObjects();

// An ELF with a module's functions, for hipModuleLoadData. Empty if the build's compiler could not
// compile it.
inline std::span<const std::byte> ObjectOf(std::string_view file, Arch arch) {
  for (const auto& object : EmbeddedObjects()) {
    if (object.file == file && object.arch == arch) return {object.begin, object.end};
  }
  return {};
}

}  // namespace tunehub::kernels::amd
