#include "agent/hub/row_issues.h"

#include <nlohmann/json.hpp>

#include "core/base/excerpt.h"
#include "core/base/plain_text.h"

namespace tunehub::agent {

std::string PlainMember(const nlohmann::json& object, const char* member, std::size_t bytes) {
  const auto found = object.find(member);
  return found != object.end() && found->is_string()
             ? core::PlainText(core::Excerpt(found->get_ref<const std::string&>(), bytes))
             : std::string();
}

std::vector<core::RowIssue> RowIssuesOf(const nlohmann::json& list) {
  std::vector<core::RowIssue> issues;
  if (!list.is_array()) return issues;
  for (const nlohmann::json& item : list) {
    if (issues.size() == kMaxRowIssues) break;
    if (!item.is_object()) continue;
    const auto row = item.find("row");
    const bool numbered = row != item.end() && row->is_number_unsigned();
    issues.push_back({numbered ? row->get<std::size_t>() : 0, PlainMember(item, "column"),
                      PlainMember(item, "code"), PlainMember(item, "detail")});
  }
  return issues;
}

}  // namespace tunehub::agent
