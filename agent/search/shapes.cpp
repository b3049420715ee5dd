#include "agent/search/shapes.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/row/cell.h"
#include "core/table/table_writer.h"
#include "core/table/untuned_table.h"

namespace tunehub::agent {
namespace {

// A tree of AITER's has some 40,000 rows in all.
constexpr std::size_t kMaxShapes = 1'000'000;

std::optional<std::string> Implied(const core::Column& column) {
  for (const core::MissingRule& rule : column.missing) {
    if (rule.gfx.empty() && rule.kernel_prefix.empty()) return rule.value;
  }
  return std::nullopt;
}

core::Error At(const std::string& file, std::size_t line, const core::Error& error) {
  return {error.code, fmt::format("{}:{}: {}", file, line, error.detail)};
}

}  // namespace

core::Result<Columns> ShapeOf(
    const core::Family& family,
    const std::function<std::optional<std::string>(const std::string& column)>& cell) {
  Columns shape;
  core::Scratch scratch;
  for (const core::Column& column : family.columns) {
    if (!column.is_shape()) continue;
    auto text = cell(column.name);
    if (!text || core::IsMissing(*text)) text = Implied(column);
    if (!text) {
      return core::Error{"missing_column",
                         fmt::format("{} needs a value of column '{}'", family.name, column.name)};
    }
    const auto canonical = core::CanonicalCell(column, *text, scratch);
    if (!canonical.ok()) {
      return core::Error{canonical.error().code, column.name + ": " + canonical.error().detail};
    }
    shape[column.name] = std::string(*canonical);
  }
  return shape;
}

core::Result<std::vector<Columns>> ReadShapes(const core::Family& family, const std::string& file,
                                              std::string_view csv) {
  const auto table =
      core::ReadUntunedTable(family, csv, {}, kMaxShapes, core::OtherColumns::kPassOver);
  if (!table.ok()) return core::Error{table.error().code, file + ": " + table.error().detail};
  if (!table->rejected.empty()) {
    const core::RowIssue& issue = table->rejected.front();
    return At(file, issue.line, {issue.code, issue.column + ": " + issue.detail});
  }
  std::vector<Columns> shapes;
  for (const core::UntunedRow& row : table->rows) {
    Columns shape;
    for (const std::size_t i : core::ShapeColumns(family)) {
      if (!row.shape.cells[i].empty()) shape[family.columns[i].name] = row.shape.cells[i];
    }
    if (std::find(shapes.begin(), shapes.end(), shape) == shapes.end()) {
      shapes.push_back(std::move(shape));
    }
  }
  return shapes;
}

Columns ColumnsOf(const core::Family& family, core::Role role, std::string_view line) {
  std::string scratch;
  const core::Cells cells = core::SplitLine(line, scratch);
  Columns columns;
  for (std::size_t i = 0; i < cells.size() && i < family.columns.size(); ++i) {
    const core::Column& column = family.columns[i];
    if (column.role != role || cells[i].empty()) continue;
    if (role == core::Role::kConfig && column.identity != core::Identity::kAlways) continue;
    columns[column.name] = std::string(cells[i]);
  }
  return columns;
}

}  // namespace tunehub::agent
