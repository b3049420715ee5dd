// Blanks at the ends of a text.
#pragma once

#include <string_view>

namespace tunehub::core {

// Without the spaces, tabs and carriage returns around it.
inline std::string_view Trim(std::string_view text) {
  // Nearly every cell of a table.
  if (text.empty() || (text.front() > ' ' && text.back() > ' ')) return text;
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace tunehub::core
