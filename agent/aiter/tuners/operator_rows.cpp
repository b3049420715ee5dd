#include "agent/aiter/tuners/operator_rows.h"

#include <map>
#include <nlohmann/json.hpp>

#include "core/row/cell.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent::tuners {
namespace {

using Json = nlohmann::ordered_json;

// The key columns of a shape that ran right; null where its GPU is not known.
Json KeyOf(const core::Family& family, const AiterTiming& timing, const core::Target& here) {
  if (!timing.us || timing.status != "OK") return nullptr;
  Json row = Json::object();
  for (const std::size_t column : family.key_columns) {
    const std::string& name = family.columns[column].name;
    const auto said = timing.keys.find(name);
    if (said != timing.keys.end() && !said->second.empty()) {
      row[name] = said->second;
    } else if (column == family.gfx && !here.gfx.empty()) {
      row[name] = here.gfx;
    } else if (column == family.cu_num && here.cu_num > 0) {
      row[name] = std::to_string(here.cu_num);
    } else if (column != family.tag) {
      return nullptr;
    }
  }
  return row;
}

void AddTime(const core::Family& family, double us, Json& row) {
  row[family.columns[family.objective].name] = us;
  row["timing"] = "operator";
  row["status"] = "ok";
}

OperatorRows BodyOf(Json rows) {
  if (rows.empty()) return {};
  const std::size_t count = rows.size();
  return {Json{{"rows", std::move(rows)}}.dump(-1, ' ', false, Json::error_handler_t::replace),
          count};
}

// A key's columns as a table has them, which a report may write in another way: "1", "True".
std::string KeyText(const core::Family& family, const Json& row) {
  std::string text;
  core::Scratch scratch;
  for (const std::size_t column : family.key_columns) {
    const auto cell = row.find(family.columns[column].name);
    const std::string raw = cell == row.end() ? std::string() : cell->get<std::string>();
    const auto canonical = core::CanonicalCell(family.columns[column], raw, scratch);
    text += (canonical.ok() ? std::string(*canonical) : raw) + ",";
  }
  return text;
}

}  // namespace

OperatorRows DefaultRows(const core::Family& family, const std::vector<AiterTiming>& timings,
                         const core::Target& here) {
  Json rows = Json::array();
  for (const AiterTiming& timing : timings) {
    Json row = KeyOf(family, timing, here);
    if (row.is_null()) continue;
    for (const std::size_t column : family.config_columns)
      row[family.columns[column].name] = nullptr;
    AddTime(family, *timing.us, row);
    row["is_default"] = true;
    rows.push_back(std::move(row));
  }
  return BodyOf(std::move(rows));
}

core::Result<OperatorRows> TunedOperatorRows(const core::Family& family,
                                             const core::Targets& targets,
                                             const std::vector<AiterTiming>& timings,
                                             std::string_view tuned, const core::Target& here) {
  const auto table = core::ReadTunedTable(family, targets, tuned,
                                          {.error_limit = std::nullopt, .warnings = false});
  if (!table.ok()) return table.error();
  std::map<std::string, Json> known;  // by key, its columns and its config's
  std::string scratch;
  for (const core::Row& row : table->rows) {
    if (!core::Competes(row.standing)) continue;
    const core::Cells cells = core::SplitLine(row.line, scratch);
    Json columns = Json::object();
    for (const std::size_t column : family.key_columns)
      columns[family.columns[column].name] = std::string(cells[column]);
    const std::string key = KeyText(family, columns);
    for (const std::size_t column : family.config_columns) {
      Json& cell = columns[family.columns[column].name];
      if (!cells[column].empty()) cell = std::string(cells[column]);
    }
    known.emplace(key, std::move(columns));
  }
  Json rows = Json::array();
  for (const AiterTiming& timing : timings) {
    const Json key = KeyOf(family, timing, here);
    const auto found = key.is_null() ? known.end() : known.find(KeyText(family, key));
    if (found == known.end()) continue;
    Json row = found->second;
    AddTime(family, *timing.us, row);
    rows.push_back(std::move(row));
  }
  return BodyOf(std::move(rows));
}

}  // namespace tunehub::agent::tuners
