#include "server/service/registry/issues.h"

#include <nlohmann/json.hpp>

namespace tunehub::service {

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

}  // namespace tunehub::service
