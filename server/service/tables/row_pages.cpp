#include "server/service/tables/row_pages.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/hex.h"
#include "core/base/text_search.h"
#include "core/row/cell.h"
#include "core/table/table_writer.h"
#include "server/service/registry/bad_parameter.h"
#include "server/service/tables/table_bytes.h"

namespace tunehub::service {
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

// A row by one of its cells.
struct RowByCell {
  const TunedRow* row;
  double number;  // NaN: the cell is none
  std::string text;

  bool empty() const { return text.empty(); }
  bool operator<(const RowByCell& other) const {
    const bool numbers = !std::isnan(number) && !std::isnan(other.number);
    if (numbers) return number < other.number;
    if (std::isnan(number) != std::isnan(other.number)) return !std::isnan(number);
    return text < other.text;
  }
};

void Sort(std::vector<const TunedRow*>& rows, const RowPageQuery& query) {
  std::vector<RowByCell> sorted;
  sorted.reserve(rows.size());
  std::string scratch;
  for (const TunedRow* row : rows) {
    const core::Cells cells = core::SplitLine(row->line, scratch);
    const std::string_view cell = query.sort < cells.size() ? cells[query.sort] : "";
    const auto number = core::ParseNumber(cell);
    sorted.push_back(
        {row, number.value_or(std::numeric_limits<double>::quiet_NaN()), std::string(cell)});
  }
  std::stable_sort(sorted.begin(), sorted.end(), [&](const RowByCell& a, const RowByCell& b) {
    if (a.empty() || b.empty()) return b.empty() && !a.empty();
    return query.descending ? b < a : a < b;
  });
  std::transform(sorted.begin(), sorted.end(), rows.begin(),
                 [](const RowByCell& it) { return it.row; });
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
    Sort(rows, query);
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

}  // namespace tunehub::service
