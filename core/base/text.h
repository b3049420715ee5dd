// Functions on texts: case, parts, numbers, excerpts, safe display, spelling suggestions.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

namespace tunehub::core {

// These functions use ASCII rules in any locale. Other bytes are neither letters nor control
// characters.
constexpr char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}
std::string Lower(std::string_view text);
std::string Upper(std::string_view text);
bool IsSameButForCase(std::string_view a, std::string_view b);

constexpr bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool IsControl(char c) {
  constexpr unsigned char kSpace = 0x20, kDelete = 0x7F;
  const auto byte = static_cast<unsigned char>(c);
  return byte < kSpace || byte == kDelete;
}
bool HoldsControl(std::string_view text);
// True if all characters are ASCII letters, digits or contained in `others`.
bool HoldsOnly(std::string_view text, std::string_view others);

// Returns the text without leading and trailing spaces, tabs and carriage returns.
inline std::string_view Trim(std::string_view text) {
  // Fast path: most cells of a table have no blanks around them.
  if (text.empty() || (text.front() > ' ' && text.back() > ' ')) return text;
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// The parts between any of the separators: "a,,b" -> "a", "", "b"; "" -> "".
inline std::vector<std::string_view> SplitAt(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// Splits a text. Each part ends with one of `ends`, except that the last part may have no end:
// "a,,b," -> "a", "", "b"; "" -> none.
inline std::vector<std::string_view> SplitAfter(std::string_view text, std::string_view ends) {
  std::vector<std::string_view> parts = SplitAt(text, ends);
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

// Reads the whole text as a number, with or without a minus sign. Returns nullopt if it is not a
// number or does not fit.
template <typename Number>
std::optional<Number> NumberFrom(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end ? std::optional(number) : std::nullopt;
}

template <typename Items, typename Value>
bool Contains(const Items& items, const Value& value) {
  return std::ranges::find(items, value) != std::ranges::end(items);
}

// Returns the results of `of` for the items, in their order. `of`: a function or a member.
template <typename Items, typename Of>
auto Mapped(const Items& items, Of of) {
  std::vector<std::decay_t<decltype(std::invoke(of, *std::begin(items)))>> results;
  results.reserve(static_cast<std::size_t>(std::size(items)));
  for (const auto& item : items) results.push_back(std::invoke(of, item));
  return results;
}

// Returns "a, b" from texts, or from the texts that `of` returns for the items.
template <typename Items, typename Of = std::identity>
std::string Joined(const Items& items, Of of = {}, std::string_view between = ", ") {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += between;
    text += std::invoke(of, item);
  }
  return text;
}

// Returns "N=128 K=512" from names and values.
template <typename Pairs>
std::string Assignments(const Pairs& pairs, std::string_view between = " ") {
  std::string text;
  for (const auto& [name, value] : pairs) {
    if (!text.empty()) text += between;
    text.append(name).append("=").append(value);
  }
  return text;
}

// Returns the part after the last '/', or the whole path.
inline std::string_view BaseName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

// The default length of an excerpt in an error.
inline constexpr std::size_t kExcerptBytes = 60;
// Returns at most `bytes` of `text`, and never a part of a UTF-8 character.
inline std::string_view Excerpt(std::string_view text, std::size_t bytes = kExcerptBytes) {
  if (text.size() <= bytes) return text;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  while (bytes > 0 && continues(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

// Replaces these by U+FFFD: bytes that are not UTF-8, control characters (DEL, C1, and C0 except
// those in `kept`), and characters that set the direction of text.
std::string PlainText(std::string_view text, std::string_view kept = "");

// Returns the number, from 1, of the line that contains this byte.
std::size_t LineNumber(std::string_view text, std::size_t position);

// Returns the least number of letters to add, remove, change or exchange with a neighbour.
std::size_t EditDistance(std::string_view a, std::string_view b);

// Returns the known word nearest to a mistyped one; nullopt if no word is near. At most a third of
// the letters (at least one letter) may be wrong. A word is also near if `typed` resembles its
// beginning or its last part. Ignores case, and treats - and _ as equal.
std::optional<std::string> Nearest(std::string_view typed, std::span<const std::string> known);

// "; did you mean WORD?", or "".
std::string DidYouMean(std::string_view typed, std::span<const std::string> known);

}  // namespace tunehub::core
