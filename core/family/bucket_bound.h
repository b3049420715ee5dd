// The names of AITER's buckets of M.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tunehub::core {

inline constexpr std::string_view kAnyBucket = "any";

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

}  // namespace tunehub::core
