#include "server/tables/table_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/archive.h"
#include "core/base/hash.h"
#include "core/table/detect.h"
#include "core/table/table_writer.h"
#include "server/tables/row_pages.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<const TunedRow*>;

std::string MissingTargets(const Rows& rows, const TunedQuery& query) {
  std::string missing;
  for (const core::Target& target : query.targets) {
    const bool any = std::ranges::any_of(
        rows, [&](const TunedRow* row) { return target.Includes(row->gfx, row->cu_num); });
    if (!any) missing += (missing.empty() ? "" : ", ") + TextOf(target);
  }
  return missing;
}

std::string TargetsThatExist(const RowSet& set) {
  std::set<std::string> names;
  for (const auto& row : set.rows) {
    names.insert(row->cu_num > 0 ? fmt::format("{}:{}", row->gfx, row->cu_num) : row->gfx);
  }
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

core::Error NoRows(const RowSet& set, const TunedQuery& query) {
  const std::string where =
      query.revision ? fmt::format(" at revision {}", query.revision->number) : "";
  const std::string exist =
      set.part ? "" : fmt::format(". Targets with rows: {}", TargetsThatExist(set));
  return {"no_rows", fmt::format("no row of {} matches{}{}\nAn empty file would remove all tuned "
                                 "rows from a build. To get it, pass allow_empty=1",
                                 set.family->name, where, exist)};
}

// Without gfx, a lookup compares only the CU count and would confuse two gfx with the same count.
core::Status CheckLegacy(const core::Family& family, const Rows& rows) {
  if (!family.legacy_lookup || family.cu_num == core::kNoColumn) {
    return core::Error{
        "legacy_unsupported",
        fmt::format("columns=legacy: AITER cannot read a {} table without gfx", family.name)};
  }
  std::map<int, std::string> gfx_of;
  for (const TunedRow* row : rows) {
    const auto [it, added] = gfx_of.try_emplace(row->cu_num, row->gfx);
    if (it->second != row->gfx) {
      return core::Error{
          "legacy_ambiguous",
          fmt::format("columns=legacy: {} and {} both have {} CUs in this answer; pass one gfx",
                      it->second, row->gfx, row->cu_num)};
    }
  }
  return core::Ok();
}

std::string ToJson(const core::Family& family, const Rows& rows, const Notes& notes) {
  Json json = {{"family", family.name}, {"rows", Json::array()}};
  for (const TunedRow* row : rows) json["rows"].push_back(RowJson(family, *row));
  if (notes.members != nullptr) json.update(*notes.members);
  return json.dump() + "\n";
}

// True if the rows are lines of one table that no family describes.
bool IsOneUnlisted(const core::Family& family, const TunedQuery& query) {
  if (!family.csv_lines) return false;
  const std::size_t table = family.Find("table");
  return std::ranges::any_of(query.columns, [&](const ColumnFilter& filter) {
    return filter.column == table && filter.values.size() == 1;
  });
}

std::string ToCsv(const core::Family& family, const Rows& rows, const TunedQuery& query) {
  std::vector<std::string_view> lines;
  lines.reserve(rows.size());
  for (const TunedRow* row : rows) lines.push_back(row->line);
  if (IsOneUnlisted(family, query)) return core::WriteUnlisted(family, lines);
  return core::WriteTable(family, lines, {.without_gfx = query.legacy});
}

// The selected rows, in the order of a table.
Rows Selected(const RowSet& set, const TunedQuery& query) {
  Rows selected;
  std::vector<lookup::TableRow> looked_up;
  std::string scratch;
  for (const auto& row : set.rows) {
    if (!IsSelected(*row, query, scratch)) continue;
    selected.push_back(row.get());
    looked_up.push_back(LookedUp(*row));
  }
  Rows rows;
  for (const std::size_t i : lookup::LookupOrder(*set.family, looked_up))
    rows.push_back(selected[i]);
  // Comments pass every filter, because they have no target. Comments without a row are not a
  // table.
  const std::size_t key = set.family->Find("key");
  const auto is_comment = [&](const TunedRow* row) {
    return core::KindOfLine(core::CellOf(row->line, key, scratch)) == core::LineKind::kComment;
  };
  if (IsOneUnlisted(*set.family, query) && std::ranges::all_of(rows, is_comment)) rows.clear();
  return rows;
}

}  // namespace

void Notes::AddMember(const std::string& name, Json value) {
  Json object = members == nullptr ? Json::object() : *members;
  object[name] = std::move(value);
  members = std::make_shared<const Json>(std::move(object));
}

std::size_t CountUnmeasured(const RowSet& set, const TunedQuery& query) {
  TunedQuery any = query;
  any.measured_only = false;
  std::string scratch;
  return static_cast<std::size_t>(std::ranges::count_if(set.rows, [&](const auto& row) {
    return row->standing == core::Standing::kUnmeasured && IsSelected(*row, any, scratch);
  }));
}

RowSet Select(const RowSet& set, const TunedQuery& query) {
  RowSet selected{set.family, {}, set.notes};
  std::string scratch;
  for (const auto& row : set.rows) {
    if (IsSelected(*row, query, scratch)) selected.rows.push_back(row);
  }
  return selected;
}

core::Result<TableBytes> MakeTable(const RowSet& set, const TunedQuery& query) {
  const Rows rows = Selected(set, query);
  if (rows.empty() && !query.allow_empty) {
    return NoRows(set, query);
  }
  if (query.legacy) {
    if (const core::Status status = CheckLegacy(*set.family, rows); !status.ok())
      return status.error();
  }
  TableBytes table;
  table.rows = rows.size();
  table.missing_targets = MissingTargets(rows, query);
  table.headers = set.notes.headers;
  table.content_type = query.json ? "application/json" : "text/csv; charset=utf-8";
  SetBody(query.json ? ToJson(*set.family, rows, set.notes) : ToCsv(*set.family, rows, query),
          table);
  return table;
}

std::size_t SizeOf(const TableBytes& table) {
  return table.body->size();
}

void SetBody(std::string body, TableBytes& table) {
  table.sha256 = core::Sha256Hex(body);
  table.etag = fmt::format(R"("{}")", table.sha256.substr(0, kEtagHex));
  table.body = std::make_shared<const std::string>(std::move(body));
}

TableBytes Encode(const TableBytes& identity, Encoding encoding) {
  TableBytes table = identity;
  SetBody(encoding == Encoding::kGzip ? core::Gzip(*identity.body) : Zstd(*identity.body), table);
  return table;
}

}  // namespace tunehub::server
