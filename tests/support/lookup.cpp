#include "tests/support/lookup.h"

#include <stdexcept>

namespace tunehub::test {

std::int64_t PaddedM(std::int64_t m, std::int64_t n, int gl) {
  if (gl == 0) {
    const std::int64_t step = m <= 256 ? 16 : m <= 1024 ? 32 : m <= 4096 ? 64 : 128;
    return m % step == 0 ? m : m - m % step + step;
  }
  if (m > 8192 && n > 4096) return 8192;
  std::int64_t power = 1;
  while (power < m) power += power;
  return power;
}

core::FamilyShape ShapeOf(const core::Family& family, const CellList& cells) {
  std::vector<core::NamedCell> named;
  for (const auto& [column, text] : cells) named.push_back({column, text});
  core::FamilyShape shape;
  if (const auto issue = core::MakeShape(family, "gfx942", named, 0, shape)) {
    throw std::runtime_error(issue->detail);
  }
  return shape;
}

std::vector<lookup::TableRow> ServedRows(const core::TunedTable& table) {
  std::vector<lookup::TableRow> rows;
  for (const core::Row& row : table.rows) {
    if (!core::Competes(row.standing)) continue;
    rows.push_back({row.line, row.us, row.standing});
  }
  return rows;
}

}  // namespace tunehub::test
