#include "agent/commands/explain/explanation.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/lookup/lookup_target.h"
#include "core/row/cell.h"

namespace tunehub::agent {
namespace {

using Columns = std::vector<std::pair<std::string, std::string>>;

// The columns that a group of shapes has in common: the heat map's other axis, N and K of a GEMM.
std::vector<std::size_t> PairColumns(const core::Family& family) {
  std::vector<std::size_t> columns;
  for (const std::string& name : family.heat_map.y) {
    const std::size_t column = family.Find(name);
    if (column != SizeColumn(family)) columns.push_back(column);
  }
  return columns;
}

// The shape columns of an untuned row but the one that groups range over.
Columns CommonColumns(const core::MissShape& miss) {
  const core::Family& family = *miss.family;
  Columns columns;
  for (std::size_t i = 0; i < miss.cells.size(); ++i) {
    const std::size_t column = family.Find(family.untuned_columns[i]);
    const bool shape = family.columns[column].is_shape();
    if (shape && column != SizeColumn(family)) {
      columns.emplace_back(family.untuned_columns[i], miss.cells[i]);
    }
  }
  return columns;
}

std::string CellOf(const core::MissShape& miss, std::size_t column) {
  const core::Family& family = *miss.family;
  for (std::size_t i = 0; i < miss.cells.size(); ++i) {
    if (family.Find(family.untuned_columns[i]) == column) return miss.cells[i];
  }
  return "";
}

ExplainedShape Explained(const core::MissShape& miss) {
  ExplainedShape shape{miss, 0, analysis::State::kMissing, {}};
  shape.size = core::ParseInt64(CellOf(miss, SizeColumn(*miss.family))).value_or(0);
  return shape;
}

// A group is told by what people know its layer by, and by no more than tells it from the others.
void DropWhatAllHave(const core::Family& family, std::vector<ShapeGroup>& groups) {
  const std::vector<std::size_t> pair = PairColumns(family);
  std::map<std::string, std::map<std::string, int>> values;
  for (const ShapeGroup& group : groups) {
    for (const auto& [name, value] : group.columns) ++values[name][value];
  }
  for (ShapeGroup& group : groups) {
    std::erase_if(group.columns, [&](const auto& column) {
      const bool of_pair = std::ranges::count(pair, family.Find(column.first)) > 0;
      return !of_pair && values[column.first].size() == 1;
    });
  }
}

std::vector<ShapeGroup> GroupsOf(const FamilyPart& part) {
  std::map<Columns, ShapeGroup> by_columns;
  for (std::size_t i = 0; i < part.shapes.size(); ++i) {
    const ExplainedShape& shape = part.shapes[i];
    const Columns columns = CommonColumns(shape.miss);
    ShapeGroup& group = by_columns[columns];
    const bool first = group.shapes.empty();
    group.columns = columns;
    group.from = first ? shape.size : std::min(group.from, shape.size);
    group.to = std::max(group.to, shape.size);
    group.count += shape.miss.count;
    group.shapes.push_back(i);
  }
  std::vector<ShapeGroup> groups;
  for (auto& [columns, group] : by_columns) groups.push_back(std::move(group));
  std::ranges::stable_sort(groups, std::greater<>(), &ShapeGroup::count);
  DropWhatAllHave(*part.family, groups);
  return groups;
}

}  // namespace

std::size_t SizeColumn(const core::Family& family) {
  return family.lookup.m != core::kNoColumn ? family.lookup.m : family.Find(family.heat_map.x);
}

std::size_t FamilyPart::tuned() const {
  return static_cast<std::size_t>(std::ranges::count_if(shapes, &ExplainedShape::tuned));
}

std::vector<FamilyPart> PartsOf(const core::Targets& targets,
                                const std::vector<core::MissShape>& shapes) {
  std::map<std::tuple<std::string, std::string, std::string>, FamilyPart> parts;
  std::map<std::pair<const FamilyPart*, std::vector<std::string>>, std::size_t> places;
  for (const core::MissShape& miss : shapes) {
    const bool of_device = miss.family->gfx == core::kNoColumn;
    FamilyPart& part =
        parts[{miss.family->name, of_device ? "" : miss.gfx, of_device ? "" : miss.cu_num}];
    part.family = miss.family;
    part.count += miss.count;
    // Lines that name the target and lines that were given it may be of one shape.
    const auto [place, added] = places.emplace(std::pair(&part, miss.cells), part.shapes.size());
    if (added) {
      part.shapes.push_back(Explained(miss));
    } else {
      part.shapes[place->second].miss.count += miss.count;
    }
    if (miss.gfx.empty() || of_device) continue;
    const int cu_num = core::ParseInt(miss.cu_num).value_or(0);
    const auto target = lookup::TargetToLookUp(targets, *miss.family, miss.gfx, cu_num);
    if (target.ok()) part.target = *target;
  }
  std::vector<FamilyPart> sorted;
  for (auto& [key, part] : parts) {
    part.groups = GroupsOf(part);
    sorted.push_back(std::move(part));
  }
  std::ranges::stable_sort(sorted, std::greater<>(), &FamilyPart::count);
  return sorted;
}

std::size_t Explanation::shapes() const {
  std::size_t count = 0;
  for (const FamilyPart& part : parts) count += part.shapes.size();
  return count;
}

std::vector<core::MissShape> Untuned(const FamilyPart& part) {
  std::vector<core::MissShape> untuned;
  for (const ExplainedShape& shape : part.shapes) {
    if (!shape.tuned()) untuned.push_back(shape.miss);
  }
  return untuned;
}

}  // namespace tunehub::agent
