#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/row/cell.h"
#include "core/row/target.h"
#include "core/shapes/shape.h"
#include "core/table/tuned_table.h"

namespace tunehub::core {
namespace {

constexpr std::string_view kTorch = "torch.";

// What every check looks at, and where it reports.
struct Checked {
  const Family& family;
  const Targets& targets;
  const Cells& cells;
  std::vector<RowIssue>& warnings;

  void Warn(std::size_t column, std::string code, std::string detail) const {
    warnings.push_back({0, family.columns[column].name, std::move(code), std::move(detail)});
  }
  std::string_view gfx() const { return GfxOf(family, cells); }
};

std::optional<std::int64_t> Integer(const Checked& row, std::size_t column) {
  return column == kNoColumn ? std::nullopt : ParseInt64(row.cells[column]);
}

bool IsDtypeColumn(const Column& column) {
  return column.is_key() && std::ranges::any_of(column.values, [](const std::string& value) {
           return value.starts_with(kTorch);
         });
}

void CheckDtypes(const Checked& row) {
  const GpuArch* const arch = row.targets.Find(row.gfx());
  for (const std::size_t column : row.family.key_columns) {
    if (!IsDtypeColumn(row.family.columns[column])) continue;
    const std::string_view dtype = row.cells[column];
    if (arch == nullptr || !dtype.starts_with("torch.float8_e4m3")) continue;
    if (dtype.ends_with("fnuz") == arch->fnuz) continue;
    row.Warn(column, "fp8_of_other_arch",
             fmt::format("{} is not the fp8 of {}, which is {}", dtype, row.gfx(),
                         arch->fnuz ? "torch.float8_e4m3fnuz" : "torch.float8_e4m3fn"));
  }
}

void CheckTokenTier(const Checked& row) {
  if (row.family.lookup.kind != "token_tiers") return;
  const std::optional<std::int64_t> token = Integer(row, row.family.lookup.m);
  if (!token || TokenTier(*token) == *token) return;
  row.Warn(
      row.family.lookup.m, "token_no_tier",
      fmt::format("{} is no token tier: a lookup of it asks for {}", *token, TokenTier(*token)));
}

void CheckGrid(const Checked& row) {
  if (row.family.lookup.kind != "padded_m") return;
  const std::optional<std::int64_t> m = Integer(row, row.family.lookup.m);
  const std::optional<std::int64_t> n = Integer(row, row.family.metric.n);
  if (!m || !n || *m == PaddedMGl0(*m) || *m == PaddedMGl1(*m, *n)) return;
  row.Warn(row.family.lookup.m, "m_off_grid",
           fmt::format("{} is on neither grid of padded M (the next points are {} and {}): only a "
                       "lookup of exactly this value finds the row",
                       *m, PaddedMGl0(*m), PaddedMGl1(*m, *n)));
}

void CheckCuNum(const Checked& row) {
  const std::optional<std::int64_t> cu_num = Integer(row, row.family.cu_num);
  const bool any = row.family.csv_lines && cu_num == 0;  // its table does not say it
  if (!cu_num || any || row.targets.Find(row.gfx()) == nullptr) return;
  std::string known;
  for (const Device& device : row.targets.devices().all()) {
    if (device.gfx != row.gfx() || device.cu_num == 0) continue;
    if (device.cu_num == *cu_num || std::ranges::count(device.partitions, *cu_num) > 0) return;
    known +=
        fmt::format("{}{} {}", known.empty() ? "" : ", ",
                    device.product.empty() ? "unnamed product" : device.product, device.cu_num);
  }
  if (known.empty()) return;
  row.Warn(row.family.cu_num, "no_such_cu_num",
           fmt::format("no known product of {} has {} CUs ({})", row.gfx(), *cu_num, known));
}

// Rows of a target that AITER has the operation for no kernel on.
void CheckOnly(const Checked& row) {
  const auto& only = row.family.lookup.only_gfx;
  if (only.empty() || std::ranges::find(only, row.gfx()) != only.end()) return;
  row.Warn(
      row.family.gfx, "gfx_never_asked",
      fmt::format("AITER looks rows of {} up on {} alone", row.family.name, fmt::join(only, ", ")));
}

// Targets that are no GPU of AMD's (a CPU, sm_90) have names of another form.
void CheckGfx(const Checked& row) {
  const std::string_view gfx = row.gfx();
  if (!gfx.starts_with("gfx") || row.targets.Exists(gfx)) return;
  row.Warn(row.family.gfx, "unknown_gfx",
           fmt::format("no GPU is known that calls itself {}: no lookup asks for it", gfx));
}

}  // namespace

std::vector<RowIssue> CheckReach(const Family& family, const Targets& targets, const Cells& cells) {
  std::vector<RowIssue> warnings;
  const Checked row{family, targets, cells, warnings};
  CheckGfx(row);
  CheckOnly(row);
  CheckDtypes(row);
  CheckTokenTier(row);
  CheckGrid(row);
  CheckCuNum(row);
  return warnings;
}

}  // namespace tunehub::core
