// What the agent needs of HTTP: one request, one answer. Tests give a fake; the real one is
// http_client.h.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

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

class HubClient {
 public:
  virtual ~HubClient() = default;
  // Any status is an answer. Errors: hub_unreachable (no answer came), with the address and the
  // reason.
  virtual core::Result<Answer> Send(const Request& request) = 0;
};

// "gpu_archs=gfx942%3Bgfx950&cu_num=80", in the order given; "" for nothing.
using Parameters = std::vector<std::pair<std::string, std::string>>;
std::string QueryString(const Parameters& parameters);

}  // namespace tunehub::agent
