#include "core/lookup/key_reader.h"

#include <algorithm>

#include "core/lookup/nearest.h"
#include "core/row/cell.h"

namespace tunehub::lookup {

KeyReader::KeyReader(const core::Family& family) : family_(family) {
  const auto& ignored = family.lookup.ignored;
  for (const std::size_t column : family.key_columns) {
    if (column == family.tag) continue;
    if (std::find(ignored.begin(), ignored.end(), column) != ignored.end()) continue;
    if (column == family.lookup.m) m_place_ = columns_.size();
    if (column == family.metric.n) n_place_ = columns_.size();
    if (column == family.cu_num) cu_place_ = columns_.size();
    columns_.push_back(column);
  }
}

std::size_t KeyReader::PlaceOf(std::size_t column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  return found == columns_.end() ? core::kNoColumn
                                 : static_cast<std::size_t>(found - columns_.begin());
}

// A bucket is a number as an M is.
bool KeyReader::IsText(std::size_t column) const {
  return family_.columns[column].type != core::Type::kInteger && column != family_.lookup.m;
}

std::int64_t KeyReader::Number(std::string_view cell, std::size_t column) const {
  if (cell.empty()) return kEmptyCell;
  if (family_.columns[column].type == core::Type::kInteger) {
    return core::ParseInt64(cell).value_or(kUnknownText);
  }
  if (column == family_.lookup.m) return BoundOf(cell);
  const auto found = texts_.find(cell);
  return found == texts_.end() ? kUnknownText : found->second;
}

void KeyReader::Learn(const core::Cells& cells, std::span<std::int64_t> key) {
  for (const std::size_t column : columns_) {
    if (!IsText(column) || texts_.contains(cells[column])) continue;
    texts_.emplace(cells[column], static_cast<std::int64_t>(texts_.size()));
  }
  Read(cells, key);
}

void KeyReader::Read(const core::Cells& cells, std::span<std::int64_t> key) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    key[i] = Number(cells[columns_[i]], columns_[i]);
  }
}

}  // namespace tunehub::lookup
