#include "core/cli/nearest.h"

#include <algorithm>
#include <vector>

#include "core/base/ascii.h"

namespace tunehub::cli {
namespace {

constexpr std::size_t kLettersOfOneMistake = 3;
constexpr std::size_t kTellingBeginning = 3;  // letters that a word may be known by

std::string Plain(std::string_view word) {
  std::string plain;
  for (const char c : word.substr(std::min(word.find_first_not_of('-'), word.size()))) {
    plain += c == '_' ? '-' : core::Lower(c);
  }
  return plain;
}

}  // namespace

std::size_t EditDistance(std::string_view a, std::string_view b) {
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

std::optional<std::string> Nearest(std::string_view typed, std::span<const std::string> known) {
  const std::string word = Plain(typed);
  std::optional<std::string> nearest;
  std::size_t least = std::max<std::size_t>(1, word.size() / kLettersOfOneMistake) + 1;
  for (const std::string& candidate : known) {
    const std::string other = Plain(candidate);
    if (other.size() < 2 || word.size() < 2) continue;  // every letter is near to every other
    const bool begun = word.size() >= kTellingBeginning &&
                       (other.starts_with(word) || other.ends_with("-" + word));
    const std::size_t distance = begun ? 1 : EditDistance(word, other);
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

std::string DidYouMean(std::string_view typed, std::span<const std::string> known) {
  const auto nearest = Nearest(typed, known);
  return nearest ? "; did you mean " + *nearest + '?' : "";
}

}  // namespace tunehub::cli
