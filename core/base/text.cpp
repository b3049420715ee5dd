#include "core/base/text.h"

#include <cstdint>

#include "core/base/byte_words.h"
#include "core/base/encoding.h"

namespace tunehub::core {

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = Lower(c);
  return lower;
}

std::string Upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return upper;
}

bool IsSameButForCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return Lower(x) == Lower(y); });
}

// Runs for every cell of a table, therefore on eight bytes at a time.
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
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) ||
           others.find(c) != std::string_view::npos;
  });
}

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Range {
  std::uint32_t first, last;
};
// C1 control characters, and characters that set the direction of text.
constexpr Range kRefused[] = {{0x80, 0x9F}, {0x202A, 0x202E}, {0x2066, 0x2069}};

bool Continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// The length of the character at the beginning of `text`; 0 if it must not be shown.
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

constexpr std::size_t kLettersOfOneMistake = 3;
constexpr std::size_t kTellingBeginning = 3;  // the shortest beginning that suggests a word

std::string Plain(std::string_view word) {
  std::string plain;
  for (const char c : word.substr(std::min(word.find_first_not_of('-'), word.size()))) {
    plain += c == '_' ? '-' : Lower(c);
  }
  return plain;
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

std::size_t LineNumber(std::string_view text, std::size_t position) {
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, position), '\n'));
}

std::size_t EditDistance(std::string_view a, std::string_view b) {
  // Three rows of the table of distances between prefixes: before the last, last, current.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string> Nearest(std::string_view typed, std::span<const std::string> known) {
  const std::string word = Plain(typed);
  std::optional<std::string> nearest;
  std::size_t least = std::max<std::size_t>(1, word.size() / kLettersOfOneMistake) + 1;
  for (const std::string& candidate : known) {
    const std::string other = Plain(candidate);
    if (other.size() < 2 || word.size() < 2) continue;  // each letter is near to every other
    const bool begun = word.size() >= kTellingBeginning &&
                       (other.starts_with(word) || other.ends_with("-" + word));
    const std::size_t distance = begun ? 1 : EditDistance(word, other);
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

std::string DidYouMean(std::string_view typed, std::span<const std::string> known) {
  const auto nearest = Nearest(typed, known);
  return nearest ? "; did you mean " + *nearest + '?' : "";
}

}  // namespace tunehub::core
