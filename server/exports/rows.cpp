#include "server/exports/rows.h"

#include <fmt/core.h>

namespace tunehub::exports {
namespace {

using Json = nlohmann::ordered_json;

std::map<TableTarget, Json> ByTarget(const Json& rows) {
  std::map<TableTarget, Json> files;
  for (const Json& row : rows) {
    Json& file = files[TargetOf(row)];
    if (file.is_null()) file = {{"columns", Json::array()}, {"rows", Json::array()}};
    Json cells = Json::array();
    for (const auto& [name, cell] : row.items()) {
      if (file["rows"].empty()) file["columns"].push_back(name);
      cells.push_back(cell);
    }
    file["rows"].push_back(std::move(cells));
  }
  return files;
}

}  // namespace

core::Result<Json> WriteRows(const RevisionRows& of, Folder& folder) {
  Json written = Json::object();
  for (const auto& [family, rows] : of.families) {
    for (const auto& [target, content] : ByTarget(rows.rows)) {
      const std::string file = fmt::format("data/rows/{}/{}.json", family, NameOf(target));
      written[family].push_back(file);
      if (core::Status status = folder.Write(file, content.dump()); !status.ok())
        return status.error();
    }
  }
  return written;
}

}  // namespace tunehub::exports
