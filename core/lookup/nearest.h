// Lookups that look for no point of a grid, but for the row beside it: the readers of Triton files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tunehub::lookup {

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

}  // namespace tunehub::lookup
