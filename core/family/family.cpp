#include "core/family/family.h"

#include <algorithm>

namespace tunehub::core {

std::size_t Family::Find(std::string_view column) const {
  const auto named = [column](const Column& candidate) {
    return candidate.name == column ||
           std::ranges::find(candidate.aliases, column) != candidate.aliases.end();
  };
  const auto found = std::ranges::find_if(columns, named);
  return found == columns.end() ? kNoColumn : static_cast<std::size_t>(found - columns.begin());
}

std::string Family::Header(bool with_optional) const {
  std::string header;
  for (const Column& column : columns) {
    if (column.optional && !with_optional) continue;
    if (!header.empty()) header += ',';
    header += column.name;
  }
  return header;
}

}  // namespace tunehub::core
