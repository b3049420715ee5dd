// The kinds of lookup that a family file can name, and AITER's buckets of M.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"

namespace tunehub::core {

// AITER's bucket of any M.
inline constexpr std::string_view kAnyBucket = "any";
// kBoundsMember: the member of a file that contains the file's own bounds. kBoundsColumn: the
// column that stores these bounds.
inline constexpr std::string_view kBoundsMember = "M_BOUNDS", kBoundsColumn = "bounds";

// "M_LEQ_16" -> (16, true), "M_GEQ_4096" -> (4096, false).
struct BucketBound {
  std::int64_t bound = 0;
  bool at_most = true;
};
inline std::optional<BucketBound> ParseBucket(std::string_view name) {
  constexpr std::string_view kAtMost = "M_LEQ_", kAtLeast = "M_GEQ_";
  BucketBound bucket;
  bucket.at_most = name.starts_with(kAtMost);
  if (!bucket.at_most && !name.starts_with(kAtLeast)) return std::nullopt;
  name.remove_prefix(kAtMost.size());
  bucket.bound = NumberFrom<std::int64_t>(name).value_or(0);
  // No lookup uses "M_LEQ_016".
  const bool plain = bucket.bound > 0 && std::to_string(bucket.bound) == name;
  return plain ? std::optional(bucket) : std::nullopt;
}

// Parses a cell of kBoundsColumn: "1;2;4". Returns empty unless the bounds are ascending integers
// above 0. AITER raises an error for other bounds.
inline std::vector<std::int64_t> ParseBounds(std::string_view text) {
  std::vector<std::int64_t> bounds;
  for (const std::string_view part : SplitAt(text, ";")) {
    const auto bucket = ParseBucket("M_LEQ_" + std::string(part));
    if (!bucket || (!bounds.empty() && bucket->bound <= bounds.back())) return {};
    bounds.push_back(bucket->bound);
  }
  return bounds;
}

// Converts "[1,2,4]", JSON without blanks, to the column's text; "" if ParseBounds would refuse it.
inline std::string BoundsInJson(std::string_view json) {
  if (json.size() < 2 || json.front() != '[') return "";
  std::string text(json.substr(1, json.size() - 2));
  std::replace(text.begin(), text.end(), ',', ';');
  return ParseBounds(text).empty() ? "" : text;
}

// The error text for bounds that ParseBounds refuses.
inline std::string BadBounds(std::string_view value) {
  return "'" + std::string(Excerpt(value)) +
         "': expected a list of ascending whole numbers above 0; AITER raises an error for other "
         "lists";
}

// How the lookup found an answer. The names are part of the API (core/lookup/table.h).
enum class LookupStep {
  kExact,      // a row of the exact shape
  kGl0,        // a row of M rounded up finely (padded M, gl0)
  kGl1,        // a row of M rounded up coarsely (padded M, gl1)
  kTier,       // fused MoE: a row at the number of tokens, rounded up (its tier)
  kLowerTier,  // fused MoE: no row at the last tier, but a row at the tier below it
  kNearest,    // a row of the nearest M, of the next M above, or of the next bucket
  kTiles,      // a row of the shape rounded up to whole tiles
  kHeuristic,  // no row: the heuristic chooses a candidate from the shape
  kDefault,    // no row and no heuristic: one kernel for all shapes
};

// the kind of the column that Lookup::m names
enum class LookupColumn { kNone, kInteger, kBucket };

struct LookupKind {
  std::string_view name;
  LookupColumn m;
  std::array<std::optional<LookupStep>, 3> steps;  // in the order of the attempts
  bool nearest = false;  // kNearest takes the nearest M instead of the next M above
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

// Precondition: `name` is one of kLookupKinds; the loader of families checks it.
constexpr const LookupKind& LookupKindOf(std::string_view name) {
  const LookupKind* found = kLookupKinds.data();
  while (found->name != name) ++found;
  return *found;
}

}  // namespace tunehub::core
