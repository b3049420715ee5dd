// SHA-256 by OpenSSL: hex for files and bodies, raw bytes for keys (many small inputs).
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace tunehub::core {

inline constexpr std::size_t kSha256Bytes = 32;

std::array<unsigned char, kSha256Bytes> Sha256(std::string_view data);
std::string Sha256Hex(std::string_view data);  // lower case, 64 characters

}  // namespace tunehub::core
