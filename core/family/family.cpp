#include "core/family/family.h"

#include <algorithm>

#include "core/family/bucket_bound.h"

namespace tunehub::core {

std::vector<std::int64_t> Lookup::BoundsOf(std::string_view op_name,
                                           std::string_view of_file) const {
  const auto own = own_bounds.find(op_name);
  if (own != own_bounds.end()) return own->second;
  const auto in_file = ParseBounds(of_file);
  return in_file.empty() ? bounds : in_file;
}

bool Lookup::AsksFor(std::string_view op_name, std::string_view bucket,
                     std::string_view of_file) const {
  if (bucket.empty() || bucket == kAnyBucket) return true;
  const auto parsed = ParseBucket(bucket);
  return parsed && std::ranges::binary_search(BoundsOf(op_name, of_file), parsed->bound);
}

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
