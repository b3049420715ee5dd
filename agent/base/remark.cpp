#include "agent/base/remark.h"

#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

namespace tunehub::agent {

void PrintByCode(std::ostream& out, std::string_view what, const std::vector<Remark>& remarks,
                 std::size_t most) {
  std::map<std::string_view, std::vector<const Remark*>> by_code;
  for (const Remark& remark : remarks) by_code[remark.issue.code].push_back(&remark);
  for (const auto& [code, rows] : by_code) {
    out << "  " << what << ' ' << code << ": " << rows.size() << '\n';
    for (std::size_t i = 0; i < rows.size() && i < most; ++i) {
      const core::RowIssue& issue = rows[i]->issue;
      out << "    " << rows[i]->file << ':' << issue.line << ": ";
      if (!issue.column.empty()) out << issue.column << ": ";
      out << issue.detail << '\n';
    }
    if (rows.size() > most) out << "    and " << rows.size() - most << " more (--all)\n";
  }
}

nlohmann::ordered_json ToJson(const Remark& remark) {
  return {{"file", remark.file},
          {"line", remark.issue.line},
          {"column", remark.issue.column},
          {"code", remark.issue.code},
          {"detail", remark.issue.detail}};
}

nlohmann::ordered_json ToJson(const std::vector<Remark>& remarks) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Remark& remark : remarks) list.push_back(ToJson(remark));
  return list;
}

}  // namespace tunehub::agent
