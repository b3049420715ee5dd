#include "server/answers/issues.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace tunehub::server {

using Json = nlohmann::ordered_json;

Json IssuesJson(const std::vector<core::RowIssue>& issues) {
  Json list = Json::array();
  for (const core::RowIssue& issue : issues) {
    if (list.size() == kMaxListed) break;
    list.push_back({{"row", issue.line},
                    {"column", issue.column},
                    {"code", issue.code},
                    {"detail", issue.detail}});
  }
  return list;
}

core::Error BadParameter(std::string_view name, std::string_view value, std::string_view why) {
  return {"bad_parameter", fmt::format("{}: '{}' {}", name, core::Excerpt(value), why)};
}

core::Error NotAllowed(std::string_view name, std::string_view value, std::string_view allowed) {
  return BadParameter(name, value, fmt::format("is not allowed; expected {}", allowed));
}

core::Error ComesTwice(std::string_view name) {
  return {"bad_parameter", fmt::format("{}: occurs twice", name)};
}

}  // namespace tunehub::server
