#include "server/service/analysis/compared_targets.h"

#include <algorithm>

#include "core/row/cell.h"

namespace tunehub::service {

void AppendTarget(std::string& text, const ComparedFamilies& families, const core::Family& family,
                  std::string_view gfx, int cu_num) {
  if (families.size() > 1) text.append(family.name).push_back(' ');
  text.append(gfx).append(":").append(std::to_string(cu_num));
}

std::optional<std::string_view> NarrowedTarget(std::string_view text, const ComparedFamilies& whole,
                                               const ComparedFamilies& families,
                                               const core::Target& target) {
  std::string_view alone = text;
  if (whole.size() > 1) {
    const std::size_t space = text.find(' ');
    const std::string_view name = text.substr(0, space);
    const bool is_wanted = std::ranges::any_of(
        families, [&](const core::Family* family) { return family->name == name; });
    if (!is_wanted) return std::nullopt;
    alone.remove_prefix(space + 1);
  }
  const std::size_t colon = alone.rfind(':');
  const auto cu_num = core::ParseInt64(alone.substr(colon + 1));
  if (!target.Includes(alone.substr(0, colon), static_cast<int>(cu_num.value_or(0)))) return {};
  return families.size() > 1 ? text : alone;
}

}  // namespace tunehub::service
