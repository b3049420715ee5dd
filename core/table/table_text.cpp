// CheckTableText: what is refused before any row is read.
#include <algorithm>
#include <cstdint>

#include "core/base/byte_words.h"
#include "core/table/csv.h"
#include "core/table/table_error.h"

namespace tunehub::core {
namespace {

std::size_t LineOf(std::string_view text, std::size_t position) {
  return 1 + static_cast<std::size_t>(std::count(
                 text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

// Commas within quotes count, too: no table of AITER quotes, and the line is right.
Error AtByte(const char* code, std::string_view text, std::size_t position, std::string_view what) {
  const std::string_view before = text.substr(0, position);
  const std::string_view line = before.substr(before.rfind('\n') + 1);
  const auto commas = static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
  return AtField(code, LineOf(text, position), 1 + commas, what);
}

// The length of the well-formed UTF-8 sequence (RFC 3629) that begins `s`; 0 where there is none.
std::size_t Utf8Length(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  unsigned char low = 0x80, high = 0xBF;  // the bounds of the second byte
  if (lead >= 0xC2 && lead <= 0xDF)
    length = 2;
  else if (lead >= 0xE0 && lead <= 0xEF)
    length = 3;
  else if (lead >= 0xF0 && lead <= 0xF4)
    length = 4;
  if (lead == 0xE0) low = 0xA0;   // no overlong form
  if (lead == 0xED) high = 0x9F;  // no surrogate
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;  // nothing above U+10FFFF
  if (length == 0 || s.size() < length || byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

// The first byte that is NUL or no part of ASCII, eight bytes a step.
std::size_t SkipPlain(std::string_view text, std::size_t i) {
  while (i + 8 <= text.size()) {
    const std::uint64_t word = WordAt(text, i);
    if ((word & kHighBits) != 0 || BytesBelow(word, 1) != 0) break;
    i += 8;
  }
  while (i < text.size() && text[i] > 0) ++i;
  return i;
}

bool IsConflictMarker(std::string_view line) {
  return line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ") ||
         line.starts_with("||||||| ") || line == "=======" || line == "=======\r";
}

}  // namespace

Status CheckTableText(std::string_view text) {
  for (std::size_t i = 0; (i = SkipPlain(text, i)) < text.size();) {
    if (text[i] == '\0') return AtByte("csv_nul", text, i, "a NUL byte");
    const std::size_t length = Utf8Length(text.substr(i));
    if (length == 0) return AtByte("csv_not_utf8", text, i, "bytes that are no UTF-8");
    i += length;
  }
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) end = text.size();
    if (IsConflictMarker(text.substr(begin, end - begin))) {
      return AtLine("csv_conflict_marker", LineOf(text, begin), "a git conflict marker");
    }
    begin = end + 1;
  }
  return Ok();
}

}  // namespace tunehub::core
