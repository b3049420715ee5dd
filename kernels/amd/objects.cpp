#include "kernels/amd/objects.h"

#include "kernels/amd/embedded_object.h"

namespace tunehub::kernels::amd {

std::span<const std::byte> ObjectOf(std::string_view file, Arch arch) {
  for (const auto& object : EmbeddedObjects()) {
    if (object.file == file && object.arch == arch) return {object.begin, object.end};
  }
  return {};
}

}  // namespace tunehub::kernels::amd
