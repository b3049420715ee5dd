// From a key of numbers to the first row that has it: a flat table in memory, open addressing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tunehub::lookup {

inline constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

class KeyIndex {
 public:
  // `width` numbers a key; room for `rows` of them.
  KeyIndex(std::size_t width, std::size_t rows);

  // The next row's key; the first row of equal keys is what Find answers.
  void Add(std::span<const std::int64_t> key);
  std::size_t Find(std::span<const std::int64_t> key) const;

  std::size_t size() const { return size_; }
  std::span<const std::int64_t> KeyOf(std::size_t row) const {
    return std::span(keys_).subspan(row * width_, width_);
  }

 private:
  // The slot of the key, or the empty one where it would go.
  std::size_t SlotOf(std::span<const std::int64_t> key) const;

  std::size_t width_;
  std::size_t size_ = 0;
  std::vector<std::int64_t> keys_;  // one behind the other
  std::vector<std::uint32_t> slots_;
};

}  // namespace tunehub::lookup
