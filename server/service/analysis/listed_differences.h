// Which differences somebody wants to see, and in which order. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "server/service/analysis/family_differences.h"

namespace tunehub::service {

enum class DifferenceSort { kLost, kRatio, kBefore, kNow, kDemand, kFamily, kTarget, kRevision };

struct DifferenceChoice {
  std::optional<analysis::Difference> kind;  // of this alone
  DifferenceSort sort = DifferenceSort::kLost;
  bool descending = true;
  std::size_t offset = 0, most = 50;
};

// "lost", or "-lost" for the greatest first: sets sort and descending. Error bad_parameter.
core::Status ParseDifferenceSort(std::string_view text, DifferenceChoice& choice);

// A difference with what it weighs.
struct WeighedDifference {
  const core::Family* family = nullptr;
  const KeyDifference* key = nullptr;
  std::int64_t demand = 0;  // how often the shape was asked for and missed; 0: never

  // More is worse: the time that every call takes longer, times the calls where they were counted.
  // Nothing where one of the states has no time.
  std::optional<double> lost_us() const {
    const auto before = key->before_us(), now = key->now_us();
    if (!before || !now) return std::nullopt;
    return (*now - *before) * static_cast<double>(demand > 0 ? demand : 1);
  }
};

// A revision, and how much of it is still to be seen.
struct RevisionShare {
  std::string_view kind, cause;
  std::optional<std::int64_t> run;
  std::size_t keys = 0;
};

struct DifferenceTotals {
  std::array<std::size_t, analysis::kDifferences> keys{};  // by kind
  std::array<double, analysis::kDifferences> lost_us{};
  std::size_t within_noise = 0;
  std::map<std::int64_t, RevisionShare> revisions;  // that did it, by number
};
// Of all that were asked about, whatever kind is to be seen; of revisions those behind `kind`.
DifferenceTotals TotalsOf(const std::vector<WeighedDifference>& differences,
                          std::optional<analysis::Difference> kind);

// Those of the kind, in the order; without a value last, equals by what they lost, then in the
// order of the CSV.
std::vector<WeighedDifference> Listed(const std::vector<WeighedDifference>& differences,
                                      const DifferenceChoice& choice);

}  // namespace tunehub::service
