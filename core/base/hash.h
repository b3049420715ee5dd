// Digests. 128 bits protect against accidental collisions. SHA-256 also protects against intended
// collisions.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace tunehub::core {

// A 128-bit identifier: SHA-256 of a canonical text, cut to 16 bytes. The database stores it as a
// uuid.
struct Hash128 {
  std::array<unsigned char, 16> bytes{};

  auto operator<=>(const Hash128&) const = default;
  std::string Uuid() const;  // "0f8fad5b-d9cb-469f-a165-70867728950e"
};

Hash128 HashOf(std::string_view text);
// Precondition: 36 characters in the form of Uuid(). Throws std::invalid_argument otherwise.
Hash128 ParseUuid(std::string_view uuid);

struct Hash128Hasher {
  std::size_t operator()(const Hash128& hash) const {
    std::size_t out = 0;
    std::memcpy(&out, hash.bytes.data(), sizeof out);  // the digest is already uniform
    return out;
  }
};

// SHA-256 by OpenSSL: hex for files and bodies, raw bytes for many small inputs.
inline constexpr std::size_t kSha256Bytes = 32;

std::array<unsigned char, kSha256Bytes> Sha256(std::string_view data);
std::string Sha256Hex(std::string_view data);  // lower case, 64 characters

}  // namespace tunehub::core
