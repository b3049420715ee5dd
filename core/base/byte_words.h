// Eight bytes of a text at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tunehub::core {

inline constexpr std::uint64_t kEachByte = 0x0101010101010101U;  // times a byte: eight of it
inline constexpr std::uint64_t kHighBits = kEachByte * 0x80;

// Precondition: eight bytes from `i` on.
inline std::uint64_t WordAt(std::string_view text, std::size_t i) {
  std::uint64_t word = 0;
  std::memcpy(&word, text.data() + i, sizeof word);
  return word;
}

// Not 0 where some byte is below `limit` (at most 0x80); the lowest bit that is set belongs to the
// lowest such byte. From "Bit Twiddling Hacks", Sean Eron Anderson.
inline std::uint64_t BytesBelow(std::uint64_t word, unsigned char limit) {
  return (word - kEachByte * limit) & ~word & kHighBits;
}

// Calls `found(i)` for each place of `wanted` from `begin` on and before `end`, in order.
template <typename Found>
void ForEachPlace(std::string_view text, char wanted, std::size_t begin, std::size_t end,
                  Found found) {
  std::size_t i = begin;
  if constexpr (std::endian::native == std::endian::little) {
    constexpr std::uint64_t kLowBits = ~kHighBits;
    const std::uint64_t pattern = kEachByte * static_cast<unsigned char>(wanted);
    for (; i + 8 <= end; i += 8) {
      const std::uint64_t different = WordAt(text, i) ^ pattern;
      // The high bit of each byte that is no difference; unlike BytesBelow it is exact in all
      // eight.
      std::uint64_t same = ~(((different & kLowBits) + kLowBits) | different) & kHighBits;
      for (; same != 0; same &= same - 1)
        found(i + static_cast<std::size_t>(std::countr_zero(same)) / 8);
    }
  }
  for (; i < end; ++i) {
    if (text[i] == wanted) found(i);
  }
}

}  // namespace tunehub::core
