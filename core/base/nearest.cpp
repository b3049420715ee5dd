#include "core/base/nearest.h"

#include <algorithm>

#include "core/base/text.h"

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

std::optional<std::string> Nearest(std::string_view typed, std::span<const std::string> known) {
  const std::string word = Plain(typed);
  std::optional<std::string> nearest;
  std::size_t least = std::max<std::size_t>(1, word.size() / kLettersOfOneMistake) + 1;
  for (const std::string& candidate : known) {
    const std::string other = Plain(candidate);
    if (other.size() < 2 || word.size() < 2) continue;  // every letter is near to every other
    const bool begun = word.size() >= kTellingBeginning &&
                       (other.starts_with(word) || other.ends_with("-" + word));
    const std::size_t distance = begun ? 1 : core::EditDistance(word, other);
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
