// The names of AITER's buckets of M, and the bounds that a file brings along.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/excerpt.h"
#include "core/base/split.h"

namespace tunehub::core {

inline constexpr std::string_view kAnyBucket = "any";
// The member by which a file says its own bounds, and the column that keeps them.
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
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), bucket.bound);
  // "M_LEQ_016" is asked for by nobody.
  const bool plain =
      parsed.ec == std::errc() && bucket.bound > 0 && std::to_string(bucket.bound) == name;
  return plain ? std::optional(bucket) : std::nullopt;
}

// "1;2;4", as the column has them. Empty: they are not whole numbers above 0, each above the one
// before it, and AITER raises.
inline std::vector<std::int64_t> ParseBounds(std::string_view text) {
  std::vector<std::int64_t> bounds;
  for (const std::string_view part : SplitAt(text, ";")) {
    const auto bucket = ParseBucket("M_LEQ_" + std::string(part));
    if (!bucket || (!bounds.empty() && bucket->bound <= bounds.back())) return {};
    bounds.push_back(bucket->bound);
  }
  return bounds;
}

// The column's text of "[1,2,4]", JSON without blanks; "" where ParseBounds would read none.
inline std::string BoundsInJson(std::string_view json) {
  if (json.size() < 2 || json.front() != '[') return "";
  std::string text(json.substr(1, json.size() - 2));
  std::replace(text.begin(), text.end(), ',', ';');
  return ParseBounds(text).empty() ? "" : text;
}

// What is to be said of the other.
inline std::string BadBounds(std::string_view value) {
  return "'" + std::string(Excerpt(value)) +
         "' is no list of whole numbers above 0, each above the one before it: AITER raises";
}

}  // namespace tunehub::core
