#include "core/misses/miss_fold.h"

#include <algorithm>
#include <tuple>

#include "core/row/cell.h"

namespace tunehub::core {
namespace {

// What the line, or the family's file in its place, says of a column; nothing where neither does.
std::optional<std::string_view> ValueOf(const MissReading& reading, const std::string& column,
                                        const std::vector<std::string_view>& values) {
  for (std::size_t i = 0; i < reading.names.size(); ++i) {
    if (reading.names[i] != column) continue;
    const auto replaced = reading.line->replace.find(column);
    if (replaced == reading.line->replace.end()) return values[i];
    const auto other = replaced->second.find(std::string(values[i]));
    return other == replaced->second.end() ? values[i] : std::string_view(other->second);
  }
  const auto fixed = reading.line->cells.find(column);
  if (fixed == reading.line->cells.end()) return std::nullopt;
  return std::string_view(fixed->second);
}

bool Canonical(const Column& column, std::string_view text, std::string& out) {
  Scratch scratch;
  const Result<std::string_view> cell = CanonicalCell(column, text, scratch);
  if (cell.ok()) out = *cell;
  return cell.ok();
}

// Numbers by value, which for canonical ones is by length and then by text.
bool ShapeBefore(const std::string& a, const std::string& b) {
  return std::forward_as_tuple(a.size(), a) < std::forward_as_tuple(b.size(), b);
}

bool Before(const MissShape& a, const MissShape& b) {
  if (a.count != b.count) return a.count > b.count;
  if (a.family != b.family) return a.family->name < b.family->name;
  for (std::size_t i = 0; i < a.cells.size(); ++i) {
    if (a.cells[i] != b.cells[i]) return ShapeBefore(a.cells[i], b.cells[i]);
  }
  return std::tie(a.gfx, a.cu_num, a.config) < std::tie(b.gfx, b.cu_num, b.config);
}

}  // namespace

bool MissFold::ReadCells(const MissReading& reading, const std::vector<std::string_view>& values) {
  const Family& family = *reading.family;
  const auto target = [&](std::size_t column, const std::string& given, std::string& out) {
    out = given;
    if (column == kNoColumn) return true;
    const auto value = ValueOf(reading, family.columns[column].name, values);
    return !value || Canonical(family.columns[column], *value, out);
  };
  next_.family = &family;
  if (!target(family.gfx, options_.gfx, next_.gfx)) return false;
  if (!target(family.cu_num, options_.cu_num, next_.cu_num)) return false;
  next_.cells.resize(family.untuned_columns.size());
  for (std::size_t i = 0; i < next_.cells.size(); ++i) {
    const std::size_t index = family.Find(family.untuned_columns[i]);
    const Column& column = family.columns[index];
    if (column.role == Role::kTarget) {
      next_.cells[i] = index == family.gfx ? next_.gfx : next_.cu_num;
      continue;
    }
    const auto value = ValueOf(reading, column.name, values);
    if (!Canonical(column, value.value_or(column.DefaultCell()), next_.cells[i])) return false;
  }
  return true;
}

bool MissFold::ReadConfig(const MissReading& reading, const std::vector<std::string_view>& values) {
  const Family& family = *reading.family;
  next_.config.clear();
  for (const std::string& name : reading.names) {
    const std::size_t index = family.Find(name);
    if (index == kNoColumn || family.columns[index].role != Role::kConfig) continue;
    const auto value = ValueOf(reading, name, values);
    next_.config.emplace_back(name, "");
    if (value && !value->empty() &&
        !Canonical(family.columns[index], *value, next_.config.back().second)) {
      return false;
    }
  }
  return true;
}

MissFold::Addition MissFold::Add(const MissReading& reading,
                                 const std::vector<std::string_view>& values) {
  if (!ReadCells(reading, values) || !ReadConfig(reading, values)) return {Added::kUnread, 0};
  next_.count = 1;
  return Fold();
}

MissFold::Addition MissFold::AddShape(MissShape shape) {
  next_ = std::move(shape);
  return Fold();
}

MissFold::Addition MissFold::Fold() {
  key_ = next_.family->name;
  for (const std::string& cell : next_.cells) key_.append(1, ',').append(cell);
  key_.append(1, ',').append(next_.gfx).append(1, ',').append(next_.cu_num);
  for (const auto& [name, value] : next_.config) key_.append(1, ',').append(value);
  const auto found = index_.find(key_);
  if (found != index_.end()) {
    shapes_[found->second].count += next_.count;
    return {Added::kCounted, found->second};
  }
  if (shapes_.size() >= options_.max_shapes) return {Added::kDropped, 0};
  index_.emplace(key_, shapes_.size());
  shapes_.push_back(next_);
  return {Added::kCounted, shapes_.size() - 1};
}

std::vector<MissShape> MissFold::Sorted() const {
  std::vector<MissShape> sorted = shapes_;
  std::ranges::sort(sorted, Before);
  return sorted;
}

void MissFold::Clear() {
  shapes_.clear();
  index_.clear();
}

}  // namespace tunehub::core
