// The code objects that the build made, as it lists them.
#pragma once

#include <cstddef>
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
std::vector<EmbeddedObject> EmbeddedObjects();

}  // namespace tunehub::kernels::amd
