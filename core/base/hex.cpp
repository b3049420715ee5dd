#include "core/base/hex.h"

namespace tunehub::core {

void AppendHex(std::string& out, const void* bytes, std::size_t size) {
  const auto* const from = static_cast<const unsigned char*>(bytes);
  const std::size_t begin = out.size();
  out.resize(begin + 2 * size);
  for (std::size_t i = 0; i < size; ++i) {
    out[begin + 2 * i] = kHexDigits[from[i] >> 4];
    out[begin + 2 * i + 1] = kHexDigits[from[i] & 15];
  }
}

std::string Hex(std::string_view bytes) {
  std::string hex;
  AppendHex(hex, bytes.data(), bytes.size());
  return hex;
}

std::optional<std::string> FromHex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(hex.size() / 2);
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const int high = HexDigit(hex[i]), low = HexDigit(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return bytes;
}

}  // namespace tunehub::core
