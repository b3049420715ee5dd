#include "core/family/bucket_bound.h"

#include <charconv>
#include <string>

namespace tunehub::core {

std::optional<BucketBound> ParseBucket(std::string_view name) {
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
