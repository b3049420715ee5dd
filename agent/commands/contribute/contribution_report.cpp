#include "agent/commands/contribute/contribution_report.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "core/table/table_writer.h"

namespace tunehub::agent {

void PrintContribution(std::ostream& out, const Contribution& contribution) {
  for (const std::string& warning : contribution.warnings) out << "warning: " << warning << '\n';
  std::map<std::string, std::vector<const LeftOut*>> codes;
  for (const LeftOut& it : contribution.left_out) codes[it.code].push_back(&it);
  constexpr std::size_t kFew = 5;
  for (const auto& [code, rows] : codes) {
    out << fmt::format("left out, {}: {}\n", code, rows.size());
    for (std::size_t i = 0; i < std::min(rows.size(), kFew); ++i) {
      out << fmt::format("  {} {}: {}\n", rows[i]->family, rows[i]->key, rows[i]->detail);
    }
    if (rows.size() > kFew)
      out << fmt::format("  and {} more; --json has all\n", rows.size() - kFew);
  }
  for (const ContributedFile& file : contribution.files) {
    out << fmt::format("{}: {} new rows{}\n", file.path, file.rows.size(),
                       file.fresh ? ", a new file" : "");
    for (const std::string& note : file.notes) out << "  " << note << '\n';
  }
  if (contribution.files.empty()) out << "nothing new: the tree stays as it is\n";
}

nlohmann::ordered_json ContributionJson(const Contribution& contribution) {
  using Json = nlohmann::ordered_json;
  Json json = {{"files", Json::array()}, {"left_out", Json::array()}};
  for (const ContributedFile& file : contribution.files) {
    Json rows = Json::array();
    for (const OfferedRow& row : file.rows) {
      rows.push_back({{"key", KeyOfLine(*file.family, row.line)},
                      {"us", row.us > 0 ? Json(row.us) : Json()},
                      {"before_us", row.before_us ? Json(*row.before_us) : Json()},
                      {"line", row.line}});
    }
    json["files"].push_back({{"path", file.path},
                             {"new", file.fresh},
                             {"family", file.family->name},
                             {"rows", std::move(rows)},
                             {"notes", file.notes}});
  }
  for (const LeftOut& it : contribution.left_out) {
    json["left_out"].push_back(
        {{"family", it.family}, {"key", it.key}, {"code", it.code}, {"detail", it.detail}});
  }
  json["checked"] = contribution.checked;
  json["warnings"] = contribution.warnings;
  return json;
}

}  // namespace tunehub::agent
