// Randomness from the operating system, for keys and for runs that nobody described.
#pragma once

#include <cstddef>
#include <string>

namespace tunehub::service {

// `bytes` random bytes. Throws std::runtime_error where the system has none.
std::string RandomBytes(std::size_t bytes);
inline std::string MakeNonce() {
  return RandomBytes(16);
}

}  // namespace tunehub::service
