#include "core/shapes/shape.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/row/cell.h"
#include "core/row/row.h"
#include "core/row/target.h"

namespace tunehub::core {
namespace {

bool IsAskedFor(const Family& family, const Column& column) {
  return std::find(family.untuned_columns.begin(), family.untuned_columns.end(), column.name) !=
         family.untuned_columns.end();
}

RowIssue UnknownColumn(const Family& family, const std::string& name, std::size_t line) {
  std::string known;
  for (std::size_t i : ShapeColumns(family)) {
    known += (known.empty() ? "" : ", ") + family.columns[i].name;
  }
  return {line, name, "unknown_column",
          fmt::format("'{}' is no shape column of {}, which are {}", name, family.name, known)};
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
                      fmt::format("the column '{}' comes twice", name)};
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

}  // namespace tunehub::core
