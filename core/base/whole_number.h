// A text that is a number in decimal and nothing else.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace tunehub::core {

// Nothing for another text, also one with blanks or a '+', and where the type does not hold it.
template <typename Number>
std::optional<Number> WholeNumber(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

}  // namespace tunehub::core
