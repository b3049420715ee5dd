// What ASCII says of a character, whatever the locale; bytes beyond it are neither letters nor
// control characters.
#pragma once

#include <string>
#include <string_view>

namespace tunehub::core {

constexpr char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}
std::string Lower(std::string_view text);
bool IsSameButForCase(std::string_view a, std::string_view b);

constexpr bool IsControl(char c) {
  constexpr unsigned char kSpace = 0x20, kDelete = 0x7F;
  const auto byte = static_cast<unsigned char>(c);
  return byte < kSpace || byte == kDelete;
}
bool HoldsControl(std::string_view text);
// Whether all are letters, digits or of `others`.
bool HoldsOnly(std::string_view text, std::string_view others);

}  // namespace tunehub::core
