#include "core/system/inner_path.h"

#include <algorithm>

namespace tunehub::core {

bool IsInnerPath(const std::filesystem::path& path) {
  return !path.empty() && !path.is_absolute() &&
         std::find(path.begin(), path.end(), "..") == path.end();
}

}  // namespace tunehub::core
