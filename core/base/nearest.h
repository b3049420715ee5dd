// "did you mean": the known word that a mistyped one is nearest to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tunehub::core {

// How many letters have to be added, left out, changed or exchanged with their neighbour.
inline std::size_t EditDistance(std::string_view a, std::string_view b) {
  // Rows of the table of distances between beginnings: the one before last, the last, this one.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace tunehub::core

namespace tunehub::cli {

// Nothing where none is near: a third of the letters may be wrong, and at least one. What begins a
// word, or is the last part of it, is near to it. Upper and lower case, and - and _, are the same.
std::optional<std::string> Nearest(std::string_view typed, std::span<const std::string> known);

// "; did you mean WORD?", or "".
std::string DidYouMean(std::string_view typed, std::span<const std::string> known);

}  // namespace tunehub::cli
