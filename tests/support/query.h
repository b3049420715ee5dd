// A query as a client writes it, taken apart for tests that ask no server.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tunehub::test {

// Of "gfx=gfx942&revision=3", by name and value, as they stand there.
inline std::vector<std::pair<std::string, std::string>> ParametersOf(const std::string& query) {
  std::vector<std::pair<std::string, std::string>> parameters;
  for (std::size_t begin = 0; begin < query.size();) {
    const std::size_t end = std::min(query.find('&', begin), query.size());
    const std::size_t equals = query.find('=', begin);
    parameters.emplace_back(query.substr(begin, equals - begin),
                            query.substr(equals + 1, end - equals - 1));
    begin = end + 1;
  }
  return parameters;
}

}  // namespace tunehub::test
