// Recognises lines of AITER's log about one shape. The patterns are "misses" and "hits" in the
// family files (configs/families).
#include <algorithm>
#include <tuple>

#include "core/base/text.h"
#include "core/family/family_misses.h"
#include "core/misses/miss_log.h"
#include "core/row/cell.h"

namespace tunehub::core {
namespace {

MarkedForms& FormsOf(std::vector<MarkedForms>& marked, const std::string& mark) {
  const auto found = std::ranges::find(marked, mark, &MarkedForms::mark);
  return found == marked.end() ? marked.emplace_back(MarkedForms{mark, {}}) : *found;
}

// Lines with equal texts around their places are one form, even if the columns' names differ.
void AddReading(MarkedForms& marked, const LineTemplate& line, const MissReading& reading) {
  const auto found = std::ranges::find_if(
      marked.forms, [&](const MissForm& form) { return form.line.texts() == line.texts(); });
  if (found == marked.forms.end()) {
    marked.forms.push_back({line, {reading}});
  } else {
    found->readings.push_back(reading);
  }
}

// The family whose token is in the name. No other family's file names contain that token.
const Family* NamedFamily(const Families& families, std::string_view file) {
  for (const auto& family : families.all()) {
    if (file.find(family->token) != std::string_view::npos) return family.get();
  }
  return nullptr;
}

// Says how well a file's name fits a family's name. More found words are better, then fewer absent
// words.
struct Likeness {
  std::size_t found = 0, absent = 0;

  bool operator==(const Likeness&) const = default;
  bool Above(const Likeness& other) const {
    return found != other.found ? found > other.found : absent < other.absent;
  }
};

Likeness LikenessOf(const Family& family, std::string_view file) {
  Likeness likeness;
  for (const std::string_view word : SplitAfter(family.name, "_")) {
    ++(file.find(word) == std::string_view::npos ? likeness.absent : likeness.found);
  }
  return likeness;
}

// Returns the reading whose family fits the file's name best; null if there is a tie or no fit.
const MissReading* MostAlike(const std::vector<const MissReading*>& readings,
                             std::string_view file) {
  const MissReading* best = nullptr;
  Likeness highest;
  bool level = false;
  for (const MissReading* reading : readings) {
    const Likeness likeness = LikenessOf(*reading->family, file);
    if (likeness.found == 0) continue;
    if (best != nullptr && likeness == highest) level = true;
    if (best != nullptr && !likeness.Above(highest)) continue;
    best = reading;
    highest = likeness;
    level = false;
  }
  return level ? nullptr : best;
}

// Returns a column's value in the line, or else the family file's fixed value, or else nullopt.
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

// Orders canonical numbers by value: by length, then by text.
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

std::vector<MarkedForms> MissFormsOf(const Families& families, bool hits) {
  std::vector<MarkedForms> marked;
  for (const auto& family : families.all()) {
    for (const MissLine& miss : hits ? family->hits : family->misses) {
      const Result<LineTemplate> line = LineTemplate::Parse(miss.text);
      if (!line.ok()) continue;  // the loader refuses such a file
      AddReading(FormsOf(marked, miss.mark), *line, {family.get(), &miss, line->names()});
    }
  }
  return marked;
}

const MissReading* ReadingOf(const Families& families, const MissForm& form, std::string_view path,
                             const Family* fallback) {
  const std::string_view file = BaseName(path);
  const Family* const named = NamedFamily(families, file);
  std::vector<const MissReading*> candidates;
  const MissReading* chosen = nullptr;
  for (const MissReading& reading : form.readings) {
    if (reading.family == named) return &reading;
    if (reading.family == fallback) chosen = &reading;
    if (!reading.line->only_named) candidates.push_back(&reading);
  }
  if (candidates.size() == 1) return candidates.front();
  const MissReading* const alike = MostAlike(candidates, file);
  return alike != nullptr ? alike : chosen;
}

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
