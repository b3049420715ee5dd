// Buckets of M: one per power of two, since a grid whose steps grow has most of its points at large
// M, and those must not decide a mean.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tunehub::analysis {

struct MBucket {
  std::int64_t from = 1, to = 1;  // 1, 2, 3-4, 5-8, 9-16, ...

  bool operator==(const MBucket&) const = default;
};

// The bucket's number: 0 for M = 1, 1 for 2, 2 for 3 and 4. m >= 1.
inline std::size_t BucketOf(std::int64_t m) {
  return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(m - 1)));
}

inline MBucket BucketAt(std::size_t number) {
  const auto to = static_cast<std::int64_t>(std::uint64_t{1} << number);
  return {number == 0 ? 1 : to / 2 + 1, to};
}

}  // namespace tunehub::analysis
