#include "core/shapes/shape.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>

#include "core/base/text.h"
#include "core/row/cell.h"

namespace tunehub::core {
namespace {

bool IsAskedFor(const Family& family, const Column& column) {
  return Contains(family.untuned_columns, column.name);
}

RowIssue UnknownColumn(const Family& family, const std::string& name, std::size_t line) {
  const std::string known =
      Joined(ShapeColumns(family), [&](std::size_t i) { return family.columns[i].name; });
  return {line, name, "unknown_column",
          fmt::format("'{}': expected a shape column of {}, one of {}", name, family.name, known)};
}

// Rounding of the gl 0 grid. Steps grow with M.
struct Step {
  std::int64_t up_to;
  std::int64_t multiple;
};

constexpr std::array<Step, 3> kSteps = {{{256, 16}, {1024, 32}, {4096, 64}}};
constexpr std::int64_t kLastMultiple = 128;

constexpr std::int64_t kLargeM = 8192;
constexpr std::int64_t kLargeN = 4096;

constexpr std::int64_t kFirstWideTier = 32768;
constexpr std::int64_t kLastTier = 131072;

// The largest power of two in std::int64_t.
constexpr std::int64_t kLargestPower = std::int64_t{1} << 62;

std::int64_t RoundUp(std::int64_t m, std::int64_t multiple) {
  return (m + multiple - 1) / multiple * multiple;
}

std::int64_t NextPowerOfTwo(std::int64_t m) {
  if (m <= 1) return 1;
  if (m > kLargestPower) return kLargestPower;
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(m)));
}

// Powers of two below 16, the gl 0 grid's first point. There, a kernel for 16 rows wastes most.
bool IsSmallPower(std::int64_t m) {
  return m == 1 || m == 2 || m == 4 || m == 8;
}

}  // namespace

std::vector<std::size_t> ShapeColumns(const Family& family) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < family.columns.size(); ++i) {
    if (family.columns[i].is_shape()) columns.push_back(i);
  }
  return columns;
}

std::optional<RowIssue> CheckShapeColumns(const Family& family, std::span<const NamedCell> given,
                                          std::size_t line) {
  std::vector<bool> present(family.columns.size(), false);
  for (const NamedCell& cell : given) {
    const std::size_t i = family.Find(cell.column);
    const std::string name(Excerpt(cell.column));
    if (i == kNoColumn || !family.columns[i].is_shape()) {
      return UnknownColumn(family, name, line);
    }
    if (present[i]) {
      return RowIssue{line, name, "duplicate_column",
                      fmt::format("the column '{}' occurs twice", name)};
    }
    present[i] = true;
  }
  for (std::size_t i : ShapeColumns(family)) {
    const Column& column = family.columns[i];
    if (present[i] || !column.missing.empty() || !IsAskedFor(family, column)) continue;
    return RowIssue{line, column.name, "missing_column",
                    fmt::format("the column '{}' of {} is missing", column.name, family.name)};
  }
  return std::nullopt;
}

std::optional<RowIssue> MakeShape(const Family& family, std::string_view gfx,
                                  std::span<const NamedCell> given, std::size_t line,
                                  FamilyShape& shape) {
  if (auto issue = CheckShapeColumns(family, given, line)) return issue;
  shape.cells.assign(family.columns.size(), "");
  for (std::size_t i : ShapeColumns(family)) {
    const Column& column = family.columns[i];
    const auto cell = std::find_if(given.begin(), given.end(), [&](const NamedCell& it) {
      return family.Find(it.column) == i;
    });
    if (cell == given.end() || (IsMissing(cell->text) && !column.missing.empty())) {
      shape.cells[i] = column.Absent(gfx);
      continue;
    }
    Scratch scratch;
    const auto canonical = CanonicalCell(column, cell->text, scratch);
    if (!canonical.ok()) {
      return RowIssue{line, column.name, canonical.error().code, canonical.error().detail};
    }
    shape.cells[i] = std::string(*canonical);
  }
  return std::nullopt;
}

std::optional<FamilyShape> ShapeOfUntuned(const Family& family, std::string_view gfx,
                                          std::span<const std::string> cells) {
  std::vector<NamedCell> named;
  for (std::size_t i = 0; i < cells.size() && i < family.untuned_columns.size(); ++i) {
    const std::size_t column = family.Find(family.untuned_columns[i]);
    if (family.columns[column].is_shape()) {
      named.push_back({family.untuned_columns[i], cells[i]});
    }
  }
  FamilyShape shape;
  if (MakeShape(family, gfx, named, 0, shape)) return std::nullopt;
  return shape;
}

std::string OrderKeyOf(const Family& family, const FamilyShape& shape, std::string_view gfx,
                       int cu_num) {
  const std::string cus = cu_num > 0 ? std::to_string(cu_num) : "";
  Cells cells(shape.cells.begin(), shape.cells.end());
  PutTarget(family, gfx, cus, cells);
  std::string order;
  AppendOrderKey(order, family, cells);
  return order;
}

std::int64_t PaddedMGl0(std::int64_t m) {
  for (const Step& step : kSteps) {
    if (m <= step.up_to) return RoundUp(m, step.multiple);
  }
  return RoundUp(m, kLastMultiple);
}

std::int64_t PaddedMGl1(std::int64_t m, std::int64_t n) {
  return m > kLargeM && n > kLargeN ? kLargeM : NextPowerOfTwo(m);
}

std::int64_t TokenTier(std::int64_t token) {
  if (token < kFirstWideTier) return NextPowerOfTwo(token);
  return token < kLastTier ? kFirstWideTier : kLastTier;
}

std::size_t MColumnOf(const Family& family) {
  return family.lookup.m != kNoColumn ? family.lookup.m : family.metric.m;
}

std::int64_t LookupM(const Family& family, std::int64_t m) {
  if (family.lookup.kind == "token_tiers") return TokenTier(m);
  if (family.lookup.kind != "padded_m" || IsSmallPower(m)) return m;
  return PaddedMGl0(m);
}

namespace {

void PadCell(const Family& family, std::string& cell) {
  const auto m = ParseInt64(cell);
  if (m && *m >= 1) cell = std::to_string(LookupM(family, *m));
}

}  // namespace

std::vector<std::string> LookupShape(const Family& family, std::vector<std::string> cells) {
  if (family.lookup.m == kNoColumn) return cells;
  for (std::size_t i = 0; i < cells.size() && i < family.untuned_columns.size(); ++i) {
    if (family.Find(family.untuned_columns[i]) == family.lookup.m) PadCell(family, cells[i]);
  }
  return cells;
}

FamilyShape LookupShape(const Family& family, FamilyShape shape) {
  if (family.lookup.m != kNoColumn) PadCell(family, shape.cells[family.lookup.m]);
  return shape;
}

}  // namespace tunehub::core
