// What people call a row's kernel: the names in it, one after the other.
#pragma once

#include <string>

#include "core/family/family.h"

namespace tunehub::service {

inline std::string KernelOf(const core::Family& family, const core::Cells& cells) {
  std::string kernel;
  for (std::size_t i : family.kernel_columns) {
    if (!cells[i].empty()) kernel += (kernel.empty() ? "" : " + ") + std::string(cells[i]);
  }
  return kernel;
}

}  // namespace tunehub::service
