// One request, one answer, whatever carries them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tunehub::agent {

struct Request {
  std::string method = "GET";
  std::string target;  // path and query, encoded: "/tuned/fmoe?gfx=gfx942"
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

struct Answer {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;                            // decoded

  std::string Header(const std::string& lower_case_name) const {
    const auto found = headers.find(lower_case_name);
    return found == headers.end() ? "" : found->second;
  }
};

}  // namespace tunehub::agent
