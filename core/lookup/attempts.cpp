#include "core/lookup/attempts.h"

#include <algorithm>
#include <array>

#include "core/shapes/padded_m.h"

namespace tunehub::lookup {
namespace {

constexpr std::array<std::string_view, 8> kNames = {
    "exact", "gl0", "gl1", "tier", "lower_tier", "nearest", "heuristic", "default"};

// The last tier of tokens and the one below it.
constexpr std::int64_t kLastTier = 131'072;
constexpr std::int64_t kTierBelow = 32'768;

void Try(std::vector<Attempt>& attempts, Step step, std::int64_t m) {
  const bool tried = std::any_of(attempts.begin(), attempts.end(),
                                 [m](const Attempt& attempt) { return attempt.m == m; });
  if (!tried) attempts.push_back({step, m});
}

}  // namespace

std::string_view Name(Step step) {
  return kNames.at(static_cast<std::size_t>(step));
}

std::vector<Attempt> AttemptsFor(const core::Lookup& lookup, std::int64_t m, std::int64_t n) {
  std::vector<Attempt> attempts;
  attempts.reserve(3);
  if (lookup.kind == "exact") {
    attempts.push_back({Step::kExact, m});
  } else if (lookup.kind == "padded_m") {
    attempts.push_back({Step::kExact, m});
    Try(attempts, Step::kGl0, core::PaddedMGl0(m));
    Try(attempts, Step::kGl1, core::PaddedMGl1(m, n));
  } else if (lookup.kind == "nearest_m" || lookup.kind == "smallest_bound") {
    attempts.push_back({Step::kExact, m});
    attempts.push_back({Step::kNearest, m});
  } else if (lookup.kind == "token_tiers") {
    const std::int64_t tier = core::TokenTier(m);
    attempts.push_back({tier == m ? Step::kExact : Step::kTier, tier});
    if (lookup.last_tier_falls_back && tier == kLastTier) {
      attempts.push_back({Step::kLowerTier, kTierBelow});
    }
  }
  return attempts;
}

}  // namespace tunehub::lookup
