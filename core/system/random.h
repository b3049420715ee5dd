// Randomness from the operating system: keys, and identities that nobody else has.
#pragma once

#include <cstddef>
#include <string>

namespace tunehub::core {

// Both throw std::system_error where the system has none.
std::string RandomBytes(std::size_t bytes);
std::string RandomUuid();  // version 4: the Idempotency-Key of a batch

}  // namespace tunehub::core
