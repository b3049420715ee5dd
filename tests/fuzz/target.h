// For fuzz targets: the bytes of one run, and checks in addition to "it does not crash".
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace tunehub::fuzz {

inline std::string_view TextOf(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Ends the program if `condition` is false. libFuzzer reports this as a finding and keeps the
// input.
inline void Hold(bool condition, std::string_view what) {
  if (condition) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

}  // namespace tunehub::fuzz
