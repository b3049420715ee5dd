// Turns the key columns that a lookup compares into numbers: integers as they are, texts by their
// place in a list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/family/family.h"

namespace tunehub::lookup {

// The hash of a dispatch key: the target's name, then cu_num, (B,) M, N and K, each mixed in, so
// that the order of the numbers counts. AITER's own way of combining them shifts by a few bits
// only, and makes some shapes of its tables collide (M=512 N=18432 and M=768 N=2240 at K=7168);
// here a product spreads each number over the whole word.
inline std::uint64_t Mix(std::uint64_t hash, std::int64_t number) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 by the golden ratio
  const std::uint64_t product = (hash ^ static_cast<std::uint64_t>(number)) * kOdd;
  return product ^ (product >> 32);
}

inline std::uint64_t HashOf(std::string_view gfx, std::span<const std::int64_t> numbers) {
  std::uint64_t hash = std::hash<std::string_view>()(gfx);
  for (const std::int64_t number : numbers) hash = Mix(hash, number);
  return hash;
}

inline std::uint64_t HashOf(std::string_view gfx, std::initializer_list<std::int64_t> numbers) {
  return HashOf(gfx, std::span(numbers.begin(), numbers.size()));
}

// From a key of numbers to the first row that has it: a flat table in memory, open addressing.
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

// A bucket that is not bounded above: M_GEQ_..., any.
inline constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max();
// "M_LEQ_64" -> 64; kNoBound for every other name.
std::int64_t BoundOf(std::string_view bucket);

// Rows by their key without M.
class NearestRows {
 public:
  // `m_place`: where M stands in every key.
  explicit NearestRows(std::size_t m_place) : m_place_(m_place) {}

  void Add(std::span<const std::int64_t> key, std::size_t row);
  // The row whose M is nearest to the key's, the smaller at a tie. Nothing: no such key.
  std::optional<std::size_t> Nearest(std::span<const std::int64_t> key) const;
  // The row with the least bound that is not below the key's. What is not bounded says what runs
  // untuned, and is not found.
  std::optional<std::size_t> SmallestBound(std::span<const std::int64_t> key) const;

 private:
  using Rows = std::map<std::int64_t, std::size_t>;  // by M; the first row of each

  std::vector<std::int64_t> Without(std::span<const std::int64_t> key) const;
  const Rows* Of(std::span<const std::int64_t> key) const;

  std::size_t m_place_;
  std::map<std::vector<std::int64_t>, Rows> rows_;
};

// What stands for an empty cell, and for a text that no row has.
inline constexpr std::int64_t kEmptyCell = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kUnknownText = kEmptyCell + 1;

class KeyReader {
 public:
  explicit KeyReader(const core::Family& family);

  // The compared columns in CSV order: gfx first, the padded one at m_place().
  const std::vector<std::size_t>& columns() const { return columns_; }
  std::size_t width() const { return columns_.size(); }
  std::size_t PlaceOf(std::size_t column) const;      // kNoColumn: it is not compared
  std::size_t m_place() const { return m_place_; }    // kNoColumn: nothing is padded
  std::size_t n_place() const { return n_place_; }    // kNoColumn: the family has no N
  std::size_t cu_place() const { return cu_place_; }  // kNoColumn: the family has no CU count

  // Writes width() numbers. Learn takes texts that it does not know into its list.
  void Learn(const core::Cells& cells, std::span<std::int64_t> key);
  void Read(const core::Cells& cells, std::span<std::int64_t> key) const;

 private:
  std::int64_t Number(std::string_view cell, std::size_t column) const;
  bool IsText(std::size_t column) const;

  const core::Family& family_;
  std::vector<std::size_t> columns_;
  std::size_t m_place_ = core::kNoColumn, n_place_ = core::kNoColumn, cu_place_ = core::kNoColumn;
  std::map<std::string, std::int64_t, std::less<>> texts_;
};

}  // namespace tunehub::lookup
