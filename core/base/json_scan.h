// What can be seen of a JSON text without parsing it.
#pragma once

#include <cstddef>
#include <string_view>

namespace tunehub::core {

// Copying JSON and writing it out recurse: ten thousand brackets would end the stack. No text means
// that many.
inline constexpr int kMaxJsonNesting = 32;
bool NestsTooDeep(std::string_view json, int most = kMaxJsonNesting);

// The parser takes a zero for the end, and whoever is given the text afterwards may not.
inline bool HoldsZero(std::string_view json) {
  return json.find('\0') != std::string_view::npos;
}

// Behind the string whose first quote stands at `at`; the text's size where it has no end.
std::size_t EndOfJsonString(std::string_view json, std::size_t at);

}  // namespace tunehub::core
