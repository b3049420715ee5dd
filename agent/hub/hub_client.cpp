#include "agent/hub/hub_client.h"

#include <fmt/core.h>

#include "core/base/encoding.h"

namespace tunehub::agent {

std::string QueryString(const Parameters& parameters) {
  std::string out;
  for (const auto& [name, value] : parameters) {
    out += fmt::format("{}{}={}", out.empty() ? "" : "&", core::PercentEncoded(name),
                       core::PercentEncoded(value));
  }
  return out;
}

core::Result<Parameters> AssignmentsOf(const std::vector<std::string>& assignments) {
  Parameters parameters;
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) {
      return core::Error{"bad_query",
                         fmt::format("--query {}: not of the form name=value", assignment)};
    }
    parameters.emplace_back(assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  return parameters;
}

}  // namespace tunehub::agent
