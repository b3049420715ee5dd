#include "server/tables/row_pages.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "core/base/hex.h"
#include "core/base/text_search.h"
#include "core/row/cell.h"
#include "core/row/row_json.h"
#include "core/table/table_writer.h"
#include "server/answers/issues.h"
#include "server/tables/table_bytes.h"

namespace tunehub::server {

nlohmann::ordered_json RowJson(const core::Family& family, const TunedRow& row) {
  std::string scratch;
  nlohmann::ordered_json json = core::RowJson(family, core::SplitLine(row.line, scratch));
  // A row that is of a device has no such columns: its target is what is known of the device.
  if (family.gfx == core::kNoColumn) {
    json["gfx"] = row.gfx;
    json["cu_num"] = row.cu_num;
  }
  json["standing"] = core::Name(row.standing);
  json["baseline"] = row.baseline;
  json["provider"] = Name(row.provider);
  return json;
}

namespace {

std::vector<const TunedRow*> Select(const FamilySnapshot& snapshot, const RowPageQuery& query) {
  std::vector<const TunedRow*> rows;
  const core::TextSearch text(query.contains);
  std::string scratch;
  for (const auto& row : snapshot.rows) {
    if (IsSelected(*row, query.rows, scratch) && text.Finds(row->line)) rows.push_back(row.get());
  }
  return rows;
}

// A row by one of its cells: a number, else a text; neither comes last.
struct RowByCell {
  const TunedRow* row;
  std::optional<double> number;
  std::string text;

  bool empty() const { return !number && text.empty(); }
};

bool IsLess(const RowByCell& a, const RowByCell& b) {
  if (a.number && b.number) return *a.number < *b.number;
  if (a.number || b.number) return a.number.has_value();
  return a.text < b.text;
}

// Only as far as the page's end.
void Sort(std::vector<const TunedRow*>& rows, const RowPageQuery& query, std::size_t end) {
  std::vector<RowByCell> all;
  all.reserve(rows.size());
  std::string scratch;
  for (const TunedRow* row : rows) {
    const core::Cells cells = core::SplitLine(row->line, scratch);
    const std::string_view cell = query.sort < cells.size() ? cells[query.sort] : "";
    auto number = core::ParseNumber(cell);
    if (number && std::isnan(*number)) number.reset();
    all.push_back({row, number, number ? "" : std::string(cell)});
  }
  std::vector<std::size_t> places(all.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  const auto comes_before = [&](std::size_t i, std::size_t j) {
    const RowByCell &a = all[i], &b = all[j];
    if (a.empty() != b.empty()) return b.empty();
    if (query.descending ? IsLess(b, a) : IsLess(a, b)) return true;
    return !(query.descending ? IsLess(a, b) : IsLess(b, a)) && i < j;
  };
  std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(end), places.end(),
                    comes_before);
  for (std::size_t i = 0; i < end; ++i) rows[i] = all[places[i]].row;
}

}  // namespace

core::Result<std::string> ParseRowPlace(std::string_view text) {
  auto bytes = core::FromHex(text);
  if (bytes) return *std::move(bytes);
  return BadParameter("after", text, "is no place that a page's Link names");
}

RowPage PageOf(const FamilySnapshot& snapshot, const RowPageQuery& query) {
  RowPage page;
  std::vector<const TunedRow*> rows = Select(snapshot, query);
  page.total = rows.size();
  std::size_t from = std::min(query.offset, rows.size());
  if (query.sort != core::kNoColumn) {
    Sort(rows, query, from + std::min(query.limit, rows.size() - from));
  } else if (!query.after.empty()) {
    const auto is_before = [&](const TunedRow* row) { return row->order <= query.after; };
    from = static_cast<std::size_t>(std::partition_point(rows.begin(), rows.end(), is_before) -
                                    rows.begin());
  }
  page.end = from + std::min(query.limit, rows.size() - from);
  page.rows.assign(rows.begin() + static_cast<std::ptrdiff_t>(from),
                   rows.begin() + static_cast<std::ptrdiff_t>(page.end));
  if (page.end < page.total && query.sort == core::kNoColumn && !page.rows.empty())
    page.next = core::Hex(page.rows.back()->order);
  return page;
}

}  // namespace tunehub::server
