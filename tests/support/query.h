// Splits a client's query, for tests without a server.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tunehub::test {

// The names and values of "gfx=gfx942&revision=3", not decoded.
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
