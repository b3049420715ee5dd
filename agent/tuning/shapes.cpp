#include "agent/tuning/shapes.h"

#include <algorithm>

#include "core/cell.h"
#include "core/csv.h"
#include "core/table_writer.h"

namespace tunehub::agent::tuning {
namespace {

std::optional<std::string> Implied(const core::Column& column) {
  for (const core::MissingRule& rule : column.missing) {
    if (rule.gfx.empty() && rule.kernel_prefix.empty()) return rule.value;
  }
  return std::nullopt;
}

// The field of `name` or one of its aliases, whatever its case: AITER's tuners accept "m,n,k".
std::optional<std::size_t> FieldOf(const std::vector<std::string>& header,
                                   const core::Column& column) {
  const auto same = [](std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
      return std::tolower(static_cast<unsigned char>(x)) ==
             std::tolower(static_cast<unsigned char>(y));
    });
  };
  const auto find = [&](const auto& matches) -> std::optional<std::size_t> {
    const auto found = std::find_if(header.begin(), header.end(), matches);
    if (found == header.end()) return std::nullopt;
    return static_cast<std::size_t>(found - header.begin());
  };
  if (auto exact = find([&](const std::string& it) { return it == column.name; })) return exact;
  return find([&](const std::string& it) {
    return same(it, column.name) ||
           std::any_of(column.aliases.begin(), column.aliases.end(),
                       [&](const std::string& alias) { return same(it, alias); });
  });
}

core::Error At(const std::string& file, std::size_t line, const core::Error& error) {
  return {error.code, file + ":" + std::to_string(line) + ": " + error.detail};
}

}  // namespace

core::Result<Columns> ShapeOf(
    const core::Family& family,
    const std::function<std::optional<std::string>(const std::string& column)>& cell) {
  Columns shape;
  core::Scratch scratch;
  for (const core::Column& column : family.columns) {
    if (column.role != core::Role::kShape) continue;
    auto text = cell(column.name);
    if (!text || core::IsMissing(*text)) text = Implied(column);
    if (!text) {
      return core::Error{"missing_column",
                         family.name + " needs a value of column '" + column.name + "'"};
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
  core::CsvReader reader(csv);
  core::CsvRecord record;
  auto more = reader.Next(record);
  if (!more.ok()) return At(file, 1, more.error());
  if (!*more) return core::Error{"empty_table", file + ": not even a header"};
  const std::vector<std::string> header(record.fields.begin(), record.fields.end());
  std::map<std::string, std::size_t> fields;
  for (const core::Column& column : family.columns) {
    if (const auto field = FieldOf(header, column)) fields[column.name] = *field;
  }
  std::vector<Columns> shapes;
  for (more = reader.Next(record); more.ok() && *more; more = reader.Next(record)) {
    auto shape = ShapeOf(family, [&](const std::string& column) -> std::optional<std::string> {
      const auto field = fields.find(column);
      if (field == fields.end() || field->second >= record.fields.size()) return std::nullopt;
      return std::string(record.fields[field->second]);
    });
    if (!shape.ok()) return At(file, record.line, shape.error());
    if (std::find(shapes.begin(), shapes.end(), *shape) == shapes.end()) {
      shapes.push_back(*std::move(shape));
    }
  }
  if (!more.ok()) return At(file, record.line, more.error());
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

}  // namespace tunehub::agent::tuning
