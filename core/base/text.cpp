#include "core/base/text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/byte_words.h"
#include "core/base/encoding.h"

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

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Range {
  std::uint32_t first, last;
};
// C1, and the marks and overrides of direction.
constexpr Range kRefused[] = {{0x80, 0x9F}, {0x202A, 0x202E}, {0x2066, 0x2069}};

bool Continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// The bytes of the character that `text` begins with; 0: it is none to show.
std::size_t ShownBytes(std::string_view text, std::string_view kept) {
  const std::size_t bytes = Utf8Length(text);
  if (bytes == 1) {
    return !IsControl(text.front()) || kept.find(text.front()) != std::string_view::npos ? 1 : 0;
  }
  std::uint32_t code = static_cast<unsigned char>(text.front()) & (0x7FU >> bytes);
  for (const char c : text.substr(1, std::max<std::size_t>(bytes, 1) - 1)) {
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3FU);
  }
  const bool refused = std::ranges::any_of(
      kRefused, [&](const Range& it) { return code >= it.first && code <= it.last; });
  return refused ? 0 : bytes;
}

}  // namespace

std::string PlainText(std::string_view text, std::string_view kept) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    std::size_t bytes = ShownBytes(text, kept);
    plain += bytes > 0 ? text.substr(0, bytes) : kReplacement;
    if (bytes == 0) {
      for (bytes = 1; bytes < text.size() && Continues(text[bytes]);) ++bytes;
    }
    text.remove_prefix(bytes);
  }
  return plain;
}

}  // namespace tunehub::core
