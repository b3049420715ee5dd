#include "core/analysis/compared_side.h"

#include "core/family/family.h"
#include "core/table/csv.h"
#include "core/table/table_writer.h"

namespace tunehub::analysis {
namespace {

std::size_t HashOfTexts(std::size_t so_far, std::string_view text) {
  constexpr std::size_t kOdd = 0x9e3779b97f4a7c15;
  return (so_far ^ std::hash<std::string_view>()(text)) * kOdd;
}

void AppendField(std::string& line, std::string_view field, bool is_first) {
  if (!is_first) line.push_back(',');
  core::AppendCsvField(line, field);
}

}  // namespace

NamedCells KeyLines::shape() const {
  NamedCells shape;
  if (columns.empty()) return shape;
  std::string scratch, other_scratch;
  const core::Cells names = core::SplitLine(columns, scratch),
                    values = core::SplitLine(cells, other_scratch);
  for (std::size_t i = 0; i < names.size(); ++i) shape.emplace_back(names[i], values[i]);
  return shape;
}

std::size_t KeyLinesHasher::operator()(const KeyLines& key) const {
  return HashOfTexts(HashOfTexts(HashOfTexts(0, key.target), key.columns), key.cells);
}

std::size_t Side::PlaceHasher::operator()(const Place& place) const {
  return HashOfTexts(KeyLinesHasher()(place.key), place.candidate);
}

CandidateTimes& Side::At(std::string_view target, const NamedViews& shape,
                         std::string_view candidate, std::string_view kernel) {
  columns_.clear();
  cells_.clear();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    AppendField(columns_, shape[i].first, i == 0);
    AppendField(cells_, shape[i].second, i == 0);
  }
  const auto known = places_.find({{target, columns_, cells_}, candidate});
  if (known != places_.end()) return timings_[known->second];
  const KeyLines key{texts_.Once(target), texts_.Once(columns_), texts_.Add(cells_)};
  timings_.push_back({key, texts_.Once(candidate), texts_.Once(kernel), {}});
  places_.emplace(Place{key, timings_.back().candidate}, timings_.size() - 1);
  return timings_.back();
}

}  // namespace tunehub::analysis
