#include "server/service/tables/row_pages.h"

#include "core/base/hex.h"
#include "core/base/text_search.h"
#include "server/service/registry/bad_parameter.h"
#include "server/service/tables/table_bytes.h"

namespace tunehub::service {

core::Result<std::string> ParseRowPlace(std::string_view text) {
  auto bytes = core::FromHex(text);
  if (bytes) return *std::move(bytes);
  return BadParameter("after", text, "is no place that a page's Link names");
}

RowPage PageOf(const FamilySnapshot& snapshot, const RowPageQuery& query) {
  RowPage page;
  const core::TextSearch text(query.contains);
  std::string scratch;
  for (const auto& row : snapshot.rows) {
    if (!IsSelected(*row, query.rows, scratch) || !text.Finds(row->line)) continue;
    ++page.total;
    if (row->order <= query.after) continue;
    if (page.rows.size() < query.limit)
      page.rows.push_back(row.get());
    else if (page.next.empty())
      page.next = core::Hex(page.rows.back()->order);
  }
  return page;
}

}  // namespace tunehub::service
