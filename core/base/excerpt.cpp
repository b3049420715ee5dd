#include "core/base/excerpt.h"

namespace tunehub::core {

std::string_view Excerpt(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  while (bytes > 0 && continues(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

}  // namespace tunehub::core
