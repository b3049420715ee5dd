#include "agent/hub/row_issues.h"

#include <nlohmann/json.hpp>

#include "core/base/plain_text.h"

namespace tunehub::agent {

std::vector<core::RowIssue> RowIssuesOf(const nlohmann::json& list) {
  std::vector<core::RowIssue> issues;
  if (!list.is_array()) return issues;
  for (const nlohmann::json& item : list) {
    if (issues.size() == kMaxRowIssues) break;
    if (!item.is_object()) continue;
    const auto text = [&](const char* member) {
      const auto found = item.find(member);
      return found != item.end() && found->is_string()
                 ? core::PlainText(found->get_ref<const std::string&>())
                 : std::string();
    };
    const auto row = item.find("row");
    const bool numbered = row != item.end() && row->is_number_unsigned();
    issues.push_back(
        {numbered ? row->get<std::size_t>() : 0, text("column"), text("code"), text("detail")});
  }
  return issues;
}

}  // namespace tunehub::agent
