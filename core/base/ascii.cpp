#include "core/base/ascii.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/byte_words.h"

namespace tunehub::core {

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = Lower(c);
  return lower;
}

bool IsSameButForCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return Lower(x) == Lower(y); });
}

// Every cell of a table is asked, hence by words.
bool HoldsControl(std::string_view text) {
  constexpr unsigned char kDelete = 0x7F, kSpace = 0x20;
  std::size_t i = 0;
  std::uint64_t found = 0;
  for (; i + 8 <= text.size(); i += 8) {
    const std::uint64_t word = WordAt(text, i);
    found |= BytesBelow(word, kSpace) | BytesBelow(word ^ kEachByte * kDelete, 1);
  }
  return found != 0 || std::ranges::any_of(text.substr(i), IsControl);
}

bool HoldsOnly(std::string_view text, std::string_view others) {
  return std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           others.find(c) != std::string_view::npos;
  });
}

}  // namespace tunehub::core
