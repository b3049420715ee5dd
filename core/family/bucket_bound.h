// The names of AITER's buckets of M.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tunehub::core {

inline constexpr std::string_view kAnyBucket = "any";

// "M_LEQ_16" -> (16, true), "M_GEQ_4096" -> (4096, false).
struct BucketBound {
  std::int64_t bound = 0;
  bool at_most = true;
};
std::optional<BucketBound> ParseBucket(std::string_view name);

}  // namespace tunehub::core
