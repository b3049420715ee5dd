#include "server/service/tables/row_pages.h"

#include "core/base/excerpt.h"
#include "core/base/text_search.h"
#include "server/service/tables/table_bytes.h"

namespace tunehub::service {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

std::string Hex(std::string_view bytes) {
  std::string hex;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex.push_back(kHex[byte >> 4]);
    hex.push_back(kHex[byte & 15]);
  }
  return hex;
}

}  // namespace

core::Result<std::string> ParseRowPlace(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const std::size_t high = kHex.find(text[i]), low = kHex.find(text[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) break;
    bytes.push_back(static_cast<char>(high << 4 | low));
  }
  if (bytes.size() * 2 != text.size()) {
    return core::Error{"bad_parameter", "after: '" + std::string(core::Excerpt(text)) +
                                            "' is no place that a page's Link names"};
  }
  return bytes;
}

RowPage PageOf(const FamilySnapshot& snapshot, const RowPageQuery& query) {
  RowPage page;
  const TextSearch text(query.contains);
  std::string scratch;
  for (const auto& row : snapshot.rows) {
    if (!IsSelected(*row, query.rows, scratch) || !text.Finds(row->line)) continue;
    ++page.total;
    if (row->order <= query.after) continue;
    if (page.rows.size() < query.limit)
      page.rows.push_back(row.get());
    else if (page.next.empty())
      page.next = Hex(page.rows.back()->order);
  }
  return page;
}

}  // namespace tunehub::service
