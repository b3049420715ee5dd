#include "core/shapes/lookup_shape.h"

#include "core/row/cell.h"
#include "core/shapes/padded_m.h"

namespace tunehub::core {
namespace {

// Below the gl 0 grid's first point, 16: where a kernel made for 16 rows would waste most.
bool IsSmallPower(std::int64_t m) {
  return m == 1 || m == 2 || m == 4 || m == 8;
}

}  // namespace

std::size_t MColumnOf(const Family& family) {
  return family.lookup.m != kNoColumn ? family.lookup.m : family.metric.m;
}

std::int64_t LookupM(const Family& family, std::int64_t m) {
  if (family.lookup.kind == "token_tiers") return TokenTier(m);
  if (family.lookup.kind != "padded_m" || IsSmallPower(m)) return m;
  return PaddedMGl0(m);
}

std::vector<std::string> LookupShape(const Family& family, std::vector<std::string> cells) {
  if (family.lookup.m == kNoColumn) return cells;
  for (std::size_t i = 0; i < cells.size() && i < family.untuned_columns.size(); ++i) {
    if (family.Find(family.untuned_columns[i]) != family.lookup.m) continue;
    const auto m = ParseInt64(cells[i]);
    if (m && *m >= 1) cells[i] = std::to_string(LookupM(family, *m));
  }
  return cells;
}

}  // namespace tunehub::core
