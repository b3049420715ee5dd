// The bytes of one run of a fuzz target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tunehub::fuzz {

inline std::string_view TextOf(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace tunehub::fuzz
