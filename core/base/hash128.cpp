#include "core/base/hash128.h"

#include <algorithm>
#include <stdexcept>

#include "core/base/hex.h"
#include "core/base/sha256.h"

namespace tunehub::core {
namespace {

int Digit(char c) {
  const int digit = HexDigit(c);
  if (digit < 0) throw std::invalid_argument("not a uuid");
  return digit;
}

}  // namespace

std::string Hash128::Uuid() const {
  std::string out;
  out.reserve(36);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out.push_back('-');
    AppendHex(out, &bytes[i], 1);
  }
  return out;
}

Hash128 HashOf(std::string_view text) {
  const auto digest = Sha256(text);
  Hash128 hash;
  std::copy_n(digest.begin(), hash.bytes.size(), hash.bytes.begin());
  return hash;
}

Hash128 ParseUuid(std::string_view uuid) {
  if (uuid.size() != 36) throw std::invalid_argument("not a uuid");
  Hash128 hash;
  std::size_t byte = 0;
  for (std::size_t i = 0; i < uuid.size();) {
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (uuid[i] != '-') throw std::invalid_argument("not a uuid");
      ++i;
      continue;
    }
    hash.bytes[byte++] = static_cast<unsigned char>(Digit(uuid[i]) * 16 + Digit(uuid[i + 1]));
    i += 2;
  }
  return hash;
}

}  // namespace tunehub::core
