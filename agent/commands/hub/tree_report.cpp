#include "agent/commands/hub/tree_report.h"

#include <fmt/core.h>

#include "agent/commands/hub/import_request.h"
#include "core/base/json_object.h"

namespace tunehub::agent {
namespace {

using Json = nlohmann::ordered_json;

std::size_t Count(core::JsonObject& object, const std::string& member) {
  const std::int64_t count = object.Integer(member, 0);
  if (count < 0) object.Fail(member, "must not be negative");
  return count < 0 ? 0 : static_cast<std::size_t>(count);
}

core::TreeTable TableOf(const core::Families& families, core::JsonObject& object) {
  core::TreeTable table;
  const std::string family = object.Text("family");
  table.family = families.Find(family);
  if (table.family == nullptr) object.Fail("family", fmt::format("'{}' is unknown", family));
  table.files = Count(object, "files");
  table.rows = Count(object, "rows");
  object.Finish();
  return table;
}

core::Finding FindingOf(core::JsonObject& object) {
  core::Finding finding{object.Text("file"), object.Text("member"), object.Text("code"),
                        object.Text("detail"), object.Boolean("aside", false)};
  object.Finish();
  return finding;
}

}  // namespace

Json ReportOf(const core::Reader& reader, const core::TreeReading& reading) {
  Json json = {{"reader", reader.name},
               {"files", reading.files},
               {"files_aside", reading.files_aside},
               {"members_aside", reading.members_aside},
               {"tables", Json::array()},
               {"unread", Json::object()},
               {"findings", Json::array()}};
  for (const core::TreeTable& table : reading.tables) {
    json["tables"].push_back(
        {{"family", table.family->name}, {"files", table.files}, {"rows", table.rows}});
  }
  for (const auto& [folder, count] : reading.unread) json["unread"][folder] = count;
  for (const core::Finding& it : reading.findings) {
    json["findings"].push_back({{"file", it.file},
                                {"member", it.member},
                                {"code", it.code},
                                {"detail", it.detail},
                                {"aside", it.aside}});
  }
  return json;
}

std::string KeptReport(const Json& report) {
  const auto text = [&](Json::error_handler_t handler) {
    return report.dump(-1, ' ', false, handler);
  };
  std::string kept = text(Json::error_handler_t::replace);
  // What is no UTF-8 would be said in other words the second time.
  if (kept.size() > kMaxReportBytes || kept != text(Json::error_handler_t::ignore)) return "";
  return kept;
}

core::Result<core::TreeReading> ReadReport(const core::Families& families,
                                           const nlohmann::json& report) {
  core::JsonErrors errors("the hub's report", "bad_answer");
  core::JsonObject root(report, "", errors);
  core::TreeReading reading;
  root.Text("reader");
  reading.files = Count(root, "files");
  reading.files_aside = Count(root, "files_aside");
  reading.members_aside = Count(root, "members_aside");
  for (core::JsonObject& table : root.Objects("tables")) {
    reading.tables.push_back(TableOf(families, table));
  }
  core::JsonObject unread = root.Object("unread");
  for (const std::string& folder : unread.MemberNames()) {
    reading.unread[folder] = Count(unread, folder);
  }
  unread.Finish();
  for (core::JsonObject& finding : root.Objects("findings")) {
    reading.findings.push_back(FindingOf(finding));
  }
  root.Finish();
  if (errors.any()) return errors.first();
  return reading;
}

}  // namespace tunehub::agent
