#include "core/base/text.h"

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

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Range {
  std::uint32_t first, last;
};
// C1, the marks and overrides of direction, and what UTF-8 does not encode.
constexpr Range kRefused[] = {
    {0x80, 0x9F}, {0x202A, 0x202E}, {0x2066, 0x2069}, {0xD800, 0xDFFF}, {0x110000, 0x1FFFFF}};
// The least code point, by the number of bytes behind the first.
constexpr std::uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};

bool Continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// The bytes of the character that `text` begins with; 0: it is none to show.
std::size_t ShownBytes(std::string_view text, std::string_view kept) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) {
    return !IsControl(text.front()) || kept.find(text.front()) != std::string_view::npos ? 1 : 0;
  }
  const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  if (lead < 0xC0 || lead >= 0xF8 || text.size() <= more) return 0;
  std::uint32_t code = lead & (0x3FU >> more);
  for (const char c : text.substr(1, more)) {
    if (!Continues(c)) return 0;
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3FU);
  }
  const bool refused = code < kLeast[more] || std::ranges::any_of(kRefused, [&](const Range& it) {
                         return code >= it.first && code <= it.last;
                       });
  return refused ? 0 : more + 1;
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
