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

// What compiled them, "Debian clang version 22.1.8 ...": registers and speed are this compiler's.
// Empty where none did.
std::string_view ObjectCompiler();

}  // namespace tunehub::kernels::amd
