// The rules by which lookups find rows, by the names that family files say them by.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace tunehub::core {

// How an answer was found. The names are part of the API (core/lookup/attempts.h).
enum class LookupStep {
  kExact,      // a row of this very shape
  kGl0,        // a row at the next point of the fine grid of padded M
  kGl1,        // a row at the next point of the coarse grid
  kTier,       // a row at the next tier of tokens
  kLowerTier,  // no row at the last tier: the one below
  kNearest,    // a row beside it: of the nearest M, of the next one above, or of the next bucket
  kTiles,      // a row of the shape that whole tiles make of it
  kHeuristic,  // no row: a rule that looks at the shape
  kDefault,    // no row and no rule: one kernel for everything
};

enum class LookupColumn { kNone, kInteger, kBucket };  // what `m` must name

struct LookupKind {
  std::string_view name;
  LookupColumn m;
  std::array<std::optional<LookupStep>, 3> steps;  // in the order in which they are tried
  bool nearest = false;                            // kNearest takes the nearest M, not one above
};

inline constexpr std::array<LookupKind, 8> kLookupKinds = {
    {{"padded_m", LookupColumn::kInteger, {LookupStep::kExact, LookupStep::kGl0, LookupStep::kGl1}},
     {"exact", LookupColumn::kNone, {LookupStep::kExact}},
     {"token_tiers", LookupColumn::kInteger, {LookupStep::kTier, LookupStep::kLowerTier}},
     {"nearest_m", LookupColumn::kInteger, {LookupStep::kExact, LookupStep::kNearest}, true},
     {"at_or_above", LookupColumn::kInteger, {LookupStep::kExact, LookupStep::kNearest}},
     {"smallest_bound", LookupColumn::kBucket, {LookupStep::kExact, LookupStep::kNearest}},
     {"tiles", LookupColumn::kInteger, {LookupStep::kExact, LookupStep::kTiles}},
     {"none", LookupColumn::kNone, {}}}};

// Precondition: it is one of them, as the loader of families sees to.
constexpr const LookupKind& LookupKindOf(std::string_view name) {
  const LookupKind* found = kLookupKinds.data();
  while (found->name != name) ++found;
  return *found;
}

}  // namespace tunehub::core
