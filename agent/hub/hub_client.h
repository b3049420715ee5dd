// What the agent needs of HTTP: one request, one answer. Tests give a fake; the real one is
// http_client.h.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "agent/hub/connection.h"
#include "core/base/result.h"

namespace tunehub::agent {

class HubClient {
 public:
  virtual ~HubClient() = default;
  // Any status is an answer. Errors: hub_unreachable (no answer came), hub_untrusted (its
  // certificate), bad_hub (it speaks http and not https, or the other way round), all with the
  // address and the reason; answer_too_large, bad_gzip.
  virtual core::Result<Answer> Send(const Request& request) = 0;
};

// "gpu_archs=gfx942%3Bgfx950&cu_num=80", in the order given; "" for nothing.
using Parameters = std::vector<std::pair<std::string, std::string>>;
std::string QueryString(const Parameters& parameters);
// Of "name=value" each, as a user says --query. Error bad_query.
core::Result<Parameters> AssignmentsOf(const std::vector<std::string>& assignments);

}  // namespace tunehub::agent
