// Functions on eight bytes of a text at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/base/text.h"

namespace tunehub::core {

inline constexpr std::uint64_t kEachByte =
    0x0101010101010101U;  // times a byte: eight copies of the byte
inline constexpr std::uint64_t kHighBits = kEachByte * 0x80;

// Precondition: `text` has eight bytes from `i` on.
inline std::uint64_t WordAt(std::string_view text, std::size_t i) {
  std::uint64_t word = 0;
  std::memcpy(&word, text.data() + i, sizeof word);
  return word;
}

// Nonzero if some byte is below `limit` (at most 0x80). The lowest set bit belongs to the first
// such byte. Source: "Bit Twiddling Hacks", Sean Eron Anderson.
inline std::uint64_t BytesBelow(std::uint64_t word, unsigned char limit) {
  return (word - kEachByte * limit) & ~word & kHighBits;
}

// Calls `found(i)` for each position of `wanted` in [begin, end), in order.
template <typename Found>
void ForEachPlace(std::string_view text, char wanted, std::size_t begin, std::size_t end,
                  Found found) {
  std::size_t i = begin;
  if constexpr (std::endian::native == std::endian::little) {
    constexpr std::uint64_t kLowBits = ~kHighBits;
    const std::uint64_t pattern = kEachByte * static_cast<unsigned char>(wanted);
    for (; i + 8 <= end; i += 8) {
      const std::uint64_t different = WordAt(text, i) ^ pattern;
      // Sets the high bit of each equal byte. Unlike BytesBelow, this is exact for all eight bytes.
      std::uint64_t same = ~(((different & kLowBits) + kLowBits) | different) & kHighBits;
      for (; same != 0; same &= same - 1)
        found(i + static_cast<std::size_t>(std::countr_zero(same)) / 8);
    }
  }
  for (; i < end; ++i) {
    if (text[i] == wanted) found(i);
  }
}

// Searches other texts for one text, ignoring the case of ASCII letters.
class TextSearch {
 public:
  explicit TextSearch(std::string_view text) : lower_(Lower(text)) {}

  // True for the empty text.
  bool Finds(std::string_view in) const {
    return std::search(in.begin(), in.end(), lower_.begin(), lower_.end(),
                       [](char a, char b) { return Lower(a) == b; }) != in.end();
  }

 private:
  std::string lower_;
};

// An arena for many short texts with one lifetime.
class Texts {
 public:
  // Returns a copy that lives as long as this object.
  std::string_view Add(std::string_view text) {
    if (text.empty()) return {};
    if (left_ < text.size()) Grow(text.size());
    char* const place = blocks_.back().get() + (block_ - left_);
    std::copy(text.begin(), text.end(), place);
    left_ -= text.size();
    return {place, text.size()};
  }

  // Returns the same copy for equal texts.
  std::string_view Once(std::string_view text) {
    const auto known = once_.find(text);
    if (known != once_.end()) return *known;
    return *once_.insert(Add(text)).first;
  }

  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kBlockBytes = 64 * 1024;

  void Grow(std::size_t least) {
    block_ = left_ = std::max(least, kBlockBytes);
    blocks_.push_back(std::make_unique<char[]>(block_));
    bytes_ += block_;
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_ = 0, left_ = 0;  // bytes of the last block: in total, and unused
  std::size_t bytes_ = 0;
  std::unordered_set<std::string_view> once_;
};

}  // namespace tunehub::core
