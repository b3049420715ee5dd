// Bytes as hexadecimal digits, in lower case.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tunehub::core {

inline constexpr std::string_view kHexDigits = "0123456789abcdef";

// The value of one of kHexDigits; -1 of any other character.
constexpr int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void AppendHex(std::string& out, const void* bytes, std::size_t size);
std::string Hex(std::string_view bytes);
// Nothing where Hex writes no such text.
std::optional<std::string> FromHex(std::string_view hex);

}  // namespace tunehub::core
