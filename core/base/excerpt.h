// What an error may quote of a text.
#pragma once

#include <cstddef>
#include <string_view>

namespace tunehub::core {

// What an error quotes of somebody's text, unless it says otherwise.
inline constexpr std::size_t kExcerptBytes = 60;
// At most `bytes` of `text`, never a part of a UTF-8 character.
inline std::string_view Excerpt(std::string_view text, std::size_t bytes = kExcerptBytes) {
  if (text.size() <= bytes) return text;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  while (bytes > 0 && continues(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

}  // namespace tunehub::core
