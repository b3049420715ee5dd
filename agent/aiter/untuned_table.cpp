#include "agent/aiter/untuned_table.h"

#include <algorithm>
#include <utility>

#include "core/base/file.h"
#include "core/row/cell.h"
#include "core/shapes/model_shapes.h"
#include "core/shapes/shape.h"
#include "core/table/csv.h"

namespace tunehub::agent {
namespace {

void AppendRow(std::string& csv, std::span<const std::string> cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) csv.push_back(',');
    core::AppendCsvField(csv, cells[i]);
  }
  csv.push_back('\n');
}

// Returns distinct shapes without targets, in the order of their first occurrence.
std::vector<core::MissShape> Folded(const core::Family& family,
                                    const std::vector<const core::MissShape*>& shapes, bool raw) {
  std::vector<core::MissShape> folded;
  std::map<std::vector<std::string>, std::size_t> places;
  for (const core::MissShape* shape : shapes) {
    auto cells = raw ? shape->cells : core::LookupShape(family, shape->cells);
    const auto [place, added] = places.emplace(cells, folded.size());
    if (added) {
      core::MissShape first;
      first.cells = std::move(cells);
      folded.push_back(std::move(first));
    }
    folded[place->second].count += shape->count;
  }
  return folded;
}

// Replaces the shapes by shapes with every M of the grid. Each new shape gets the misses of all
// shapes that differ from it only in M.
std::vector<core::MissShape> OnGrid(const core::Family& family,
                                    const std::vector<core::MissShape>& shapes,
                                    std::string_view grid) {
  const std::size_t m = core::MColumnOf(family);
  const auto column = std::ranges::find_if(
      family.untuned_columns, [&](const auto& name) { return family.Find(name) == m; });
  const auto points = core::GridOf(family, grid);
  const bool fits = m != core::kNoColumn && column != family.untuned_columns.end() && points.ok();
  if (family.engine != core::kNoColumn || !fits) return shapes;
  const auto place = static_cast<std::size_t>(column - family.untuned_columns.begin());
  std::vector<core::MissShape> blank = shapes;
  for (core::MissShape& shape : blank) shape.cells[place].clear();
  std::vector<const core::MissShape*> of_all;
  for (const core::MissShape& shape : blank) of_all.push_back(&shape);
  std::vector<core::MissShape> made;
  for (core::MissShape& shape : Folded(family, of_all, true)) {
    for (const std::int64_t point : *points) {
      shape.cells[place] = std::to_string(point);
      made.push_back(shape);
    }
  }
  return made;
}

}  // namespace

std::vector<std::string> UntunedCells(const core::Family& family,
                                      const std::map<std::string, std::string>& columns) {
  std::vector<std::string> cells;
  for (const std::string& name : family.untuned_columns) {
    const auto found = columns.find(name);
    cells.push_back(found == columns.end() ? "" : found->second);
  }
  return cells;
}

core::Status CheckUntuned(const core::Family& family,
                          std::span<const std::vector<std::string>> rows) {
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const core::Column& column = family.columns[family.Find(family.untuned_columns[i])];
      core::Scratch scratch;
      const auto cell = core::CanonicalCell(column, row[i], scratch);
      if (row[i].empty() || cell.ok()) continue;
      return cell.error().In(column.name);
    }
  }
  return core::Ok();
}

std::string UntunedCsv(const core::Family& family, std::span<const std::vector<std::string>> rows) {
  std::string csv;
  AppendRow(csv, family.untuned_columns);
  for (const std::vector<std::string>& row : rows) AppendRow(csv, row);
  return csv;
}

std::vector<UntunedTable> UntunedTables(std::span<const core::MissShape> shapes, bool raw,
                                        std::string_view grid) {
  std::map<std::string, std::vector<const core::MissShape*>> by_family;
  for (const core::MissShape& shape : shapes) by_family[shape.family->name].push_back(&shape);
  std::vector<UntunedTable> tables;
  for (const auto& [name, of_family] : by_family) {
    UntunedTable table;
    table.family = of_family.front()->family;
    std::vector<core::MissShape> folded = Folded(*table.family, of_family, raw);
    for (const core::MissShape& shape : folded) table.count += shape.count;
    if (!grid.empty()) folded = OnGrid(*table.family, folded, grid);
    std::ranges::stable_sort(folded, std::greater<>(), &core::MissShape::count);
    std::vector<std::vector<std::string>> rows;
    for (core::MissShape& shape : folded) rows.push_back(std::move(shape.cells));
    table.shapes = rows.size();
    table.csv = UntunedCsv(*table.family, rows);
    tables.push_back(std::move(table));
  }
  return tables;
}

core::Status WriteUntunedTables(const std::filesystem::path& folder,
                                std::span<const UntunedTable> tables) {
  if (core::Status made = core::MakeFolder(folder); !made.ok()) return made;
  for (const UntunedTable& table : tables) {
    const core::Status written =
        core::WriteAtomically(folder / table.family->untuned_file, table.csv);
    if (!written.ok()) return written;
  }
  return core::Ok();
}

}  // namespace tunehub::agent
