#include "agent/hub/hub_client.h"

#include <fmt/core.h>

#include "core/base/percent.h"

namespace tunehub::agent {

std::string QueryString(const Parameters& parameters) {
  std::string out;
  for (const auto& [name, value] : parameters) {
    out += fmt::format("{}{}={}", out.empty() ? "" : "&", core::PercentEncoded(name),
                       core::PercentEncoded(value));
  }
  return out;
}

}  // namespace tunehub::agent
