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

// The first `wanted` from `i` on and before `end`, or `end`. For texts of a few bytes, where the
// call of memchr is most of its time.
inline std::size_t FindNear(std::string_view text, char wanted, std::size_t i, std::size_t end) {
  if constexpr (std::endian::native == std::endian::little) {
    const std::uint64_t pattern = kEachByte * static_cast<unsigned char>(wanted);
    for (; i + 8 <= end; i += 8) {
      const std::uint64_t found = BytesBelow(WordAt(text, i) ^ pattern, 1);
      if (found != 0) return i + static_cast<std::size_t>(std::countr_zero(found)) / 8;
    }
  }
  while (i < end && text[i] != wanted) ++i;
  return i;
}

}  // namespace tunehub::core
