// The variables that a program is started with.
#pragma once

#include <cstdlib>
#include <string>

namespace tunehub::core {

// "" where it is not set, too.
inline std::string Environment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

}  // namespace tunehub::core
