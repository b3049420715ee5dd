#include "core/base/environment.h"

#include <cstdlib>

namespace tunehub::core {

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

}  // namespace tunehub::core
