#include "server/tables/row_pages.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/base/byte_words.h"
#include "core/base/encoding.h"
#include "core/row/cell.h"
#include "core/row/row.h"
#include "core/table/table_writer.h"
#include "server/tables/table_bytes.h"

namespace tunehub::server {

nlohmann::ordered_json RowJson(const core::Family& family, const TunedRow& row) {
  std::string scratch;
  nlohmann::ordered_json json = core::RowJson(family, core::SplitLine(row.line, scratch));
  // A row of a family with devices has no target columns: its target comes from devices.json.
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

// A row with its cell of the sort column: a number, else a text. Rows with an empty cell come last.
struct RowByCell {
  const TunedRow* row;
  std::size_t place;
  bool is_text;
  double number;  // 0 for a text
  std::string text;

  bool empty() const { return is_text && text.empty(); }
};

// Sorts only up to the page's end.
void Sort(std::vector<const TunedRow*>& rows, const RowPageQuery& query, std::size_t end) {
  std::vector<RowByCell> all;
  all.reserve(rows.size());
  std::string scratch;
  for (const TunedRow* row : rows) {
    const core::Cells cells = core::SplitLine(row->line, scratch);
    const std::string_view cell = query.sort < cells.size() ? cells[query.sort] : "";
    const auto number = core::ParseNumber(cell);
    const bool is_text = !number || std::isnan(*number);
    all.push_back({row, all.size(), is_text, is_text ? 0 : *number,
                   std::string(is_text ? cell : std::string_view())});
  }
  const auto comes_before = [&](const RowByCell& a, const RowByCell& b) {
    if (a.empty() != b.empty()) return b.empty();
    const auto order =
        std::tie(a.is_text, a.number, a.text) <=> std::tie(b.is_text, b.number, b.text);
    if (order != 0) return query.descending ? order > 0 : order < 0;
    return a.place < b.place;
  };
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(end), all.end(),
                    comes_before);
  for (std::size_t i = 0; i < end; ++i) rows[i] = all[i].row;
}

}  // namespace

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
