// CheckTableText: what is refused before any row is read.
#include <algorithm>
#include <cstdint>

#include "core/base/byte_words.h"
#include "core/base/utf8.h"
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
