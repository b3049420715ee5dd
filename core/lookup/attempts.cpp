#include "core/lookup/attempts.h"

#include <algorithm>
#include <array>

#include "core/shapes/padded_m.h"

namespace tunehub::lookup {
namespace {

constexpr std::array<std::string_view, 9> kNames = {
    "exact", "gl0", "gl1", "tier", "lower_tier", "nearest", "tiles", "heuristic", "default"};

// The last tier of tokens and the one below it.
constexpr std::int64_t kLastTier = 131'072;
constexpr std::int64_t kTierBelow = 32'768;

void TryStep(const core::Lookup& lookup, Step step, std::int64_t m, std::int64_t n,
             std::vector<Attempt>& attempts) {
  if (step == Step::kTier) {
    const std::int64_t tier = core::TokenTier(m);
    attempts.push_back({tier == m ? Step::kExact : Step::kTier, tier});
  } else if (step == Step::kLowerTier) {
    if (lookup.last_tier_falls_back && core::TokenTier(m) == kLastTier) {
      attempts.push_back({step, kTierBelow});
    }
  } else if (step == Step::kGl0 || step == Step::kGl1) {
    const std::int64_t padded = step == Step::kGl0 ? core::PaddedMGl0(m) : core::PaddedMGl1(m, n);
    const bool tried = std::any_of(attempts.begin(), attempts.end(),
                                   [=](const Attempt& it) { return it.m == padded; });
    if (!tried) attempts.push_back({step, padded});
  } else {
    attempts.push_back({step, step == Step::kTiles ? InTiles(lookup, lookup.m, m) : m});
  }
}

}  // namespace

std::string_view Name(Step step) {
  return kNames.at(static_cast<std::size_t>(step));
}

std::int64_t InTiles(const core::Lookup& lookup, std::size_t column, std::int64_t value) {
  for (const core::TiledColumn& it : lookup.tiles) {
    if (it.column == column) return (value + it.tile - 1) / it.tile * it.tile;
  }
  return value;
}

std::vector<Attempt> AttemptsFor(const core::Lookup& lookup, std::int64_t m, std::int64_t n) {
  std::vector<Attempt> attempts;
  if (lookup.most_m > 0 && m > lookup.most_m) return attempts;
  attempts.reserve(3);
  for (const auto& step : core::LookupKindOf(lookup.kind).steps) {
    if (step) TryStep(lookup, *step, m, n, attempts);
  }
  return attempts;
}

}  // namespace tunehub::lookup
