// Lists of tests that one line holds.
#pragma once

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace tunehub::test {

// What stands between the blanks of a text.
inline std::vector<std::string> Words(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

}  // namespace tunehub::test
