// Turns the key columns that a lookup compares into numbers: integers as they are, texts by their
// place in a list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/family/family.h"

namespace tunehub::lookup {

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
