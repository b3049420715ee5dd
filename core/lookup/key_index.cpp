#include "core/lookup/key_index.h"

#include <algorithm>
#include <bit>

#include "core/lookup/hash.h"

namespace tunehub::lookup {
namespace {

constexpr std::uint32_t kEmptySlot = 0;  // else the row's number plus one

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

// Precondition: no more rows than the constructor was told, so that a slot is always empty.
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

}  // namespace tunehub::lookup
