// A text's parts, as views of it.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace tunehub::core {

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

// Each part ends with one of `ends`, which the last may lack: "a,,b," -> "a", "", "b"; "" -> none.
inline std::vector<std::string_view> SplitAfter(std::string_view text, std::string_view ends) {
  std::vector<std::string_view> parts = SplitAt(text, ends);
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

// The part behind the last '/', or the whole path.
inline std::string_view BaseName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

}  // namespace tunehub::core
