#include <algorithm>
#include <bit>

#include "core/family/lookup_kinds.h"
#include "core/lookup/table.h"
#include "core/row/cell.h"

namespace tunehub::lookup {
namespace {

constexpr std::uint32_t kEmptySlot = 0;  // any other value is the row's number plus one

}  // namespace

KeyIndex::KeyIndex(std::size_t width, std::size_t rows)
    : width_(width), slots_(std::bit_ceil(2 * rows + 2), kEmptySlot) {
  keys_.reserve(width * rows);
}

std::size_t KeyIndex::SlotOf(std::span<const std::int64_t> key) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = HashOf("", key) & mask;; slot = (slot + 1) & mask) {
    if (slots_[slot] == kEmptySlot) return slot;
    if (std::ranges::equal(KeyOf(slots_[slot] - 1), key)) return slot;
  }
}

// Precondition: fewer rows than the constructor's `rows`, so that an empty slot remains.
void KeyIndex::Add(std::span<const std::int64_t> key) {
  const std::size_t slot = SlotOf(key);
  keys_.insert(keys_.end(), key.begin(), key.end());
  ++size_;
  if (slots_[slot] == kEmptySlot) slots_[slot] = static_cast<std::uint32_t>(size_);
}

std::size_t KeyIndex::Find(std::span<const std::int64_t> key) const {
  const std::uint32_t found = slots_[SlotOf(key)];
  return found == kEmptySlot ? kNoRow : found - 1;
}

std::int64_t BoundOf(std::string_view bucket) {
  const auto parsed = core::ParseBucket(bucket);
  return parsed && parsed->at_most ? parsed->bound : kNoBound;
}

std::vector<std::int64_t> NearestRows::Without(std::span<const std::int64_t> key) const {
  std::vector<std::int64_t> without(key.begin(), key.end());
  without.at(m_place_) = 0;
  return without;
}

// A row without M represents a file without members, in which a lookup finds no row.
void NearestRows::Add(std::span<const std::int64_t> key, std::size_t row) {
  if (key[m_place_] != kEmptyCell) rows_[Without(key)].emplace(key[m_place_], row);
}

const NearestRows::Rows* NearestRows::Of(std::span<const std::int64_t> key) const {
  const auto found = rows_.find(Without(key));
  return found == rows_.end() ? nullptr : &found->second;
}

std::optional<std::size_t> NearestRows::Nearest(std::span<const std::int64_t> key) const {
  const Rows* const rows = Of(key);
  if (rows == nullptr) return std::nullopt;
  const std::int64_t m = key[m_place_];
  const auto above = rows->lower_bound(m);
  if (above == rows->begin()) return above->second;
  const auto below = std::prev(above);
  if (above == rows->end() || m - below->first <= above->first - m) return below->second;
  return above->second;
}

std::optional<std::size_t> NearestRows::SmallestBound(std::span<const std::int64_t> key) const {
  const Rows* const rows = Of(key);
  if (rows == nullptr) return std::nullopt;
  const auto found = rows->lower_bound(key[m_place_]);
  if (found == rows->end() || found->first == kNoBound) return std::nullopt;
  return found->second;
}

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

// A bucket becomes a number, as M does.
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
