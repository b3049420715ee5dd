// The hash of a dispatch key: the target's name, then cu_num, (B,) M, N and K, each mixed in, so
// that the order of the numbers counts. AITER's own way of combining them shifts by a few bits
// only, and makes some shapes of its tables collide (M=512 N=18432 and M=768 N=2240 at K=7168);
// here a product spreads each number over the whole word.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>

namespace tunehub::lookup {

inline std::uint64_t Mix(std::uint64_t hash, std::int64_t number) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 by the golden ratio
  const std::uint64_t product = (hash ^ static_cast<std::uint64_t>(number)) * kOdd;
  return product ^ (product >> 32);
}

inline std::uint64_t HashOf(std::string_view gfx, std::span<const std::int64_t> numbers) {
  std::uint64_t hash = std::hash<std::string_view>()(gfx);
  for (const std::int64_t number : numbers) hash = Mix(hash, number);
  return hash;
}

inline std::uint64_t HashOf(std::string_view gfx, std::initializer_list<std::int64_t> numbers) {
  return HashOf(gfx, std::span(numbers.begin(), numbers.size()));
}

}  // namespace tunehub::lookup
