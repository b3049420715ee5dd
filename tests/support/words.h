#pragma once

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace tunehub::test {

// The words of a text between blanks.
inline std::vector<std::string> Words(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

}  // namespace tunehub::test
