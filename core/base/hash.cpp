#include "core/base/hash.h"

#include <openssl/evp.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "core/base/encoding.h"

namespace tunehub::core {
namespace {

int Digit(char c) {
  const int digit = HexDigit(c);
  if (digit < 0) throw std::invalid_argument("expected a UUID");
  return digit;
}

// Unless the algorithm is fetched first, OpenSSL 3 looks it up by name for every digest. For a
// hundred bytes the lookup costs more than the hash.
const EVP_MD* FetchedSha256() {
  static EVP_MD* const md = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  if (md == nullptr) throw std::runtime_error("OpenSSL offers no SHA-256");
  return md;
}

EVP_MD_CTX* ThreadContext() {
  thread_local const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(
      EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  if (context == nullptr) throw std::bad_alloc();
  return context.get();
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
  if (uuid.size() != 36) throw std::invalid_argument("expected a UUID");
  Hash128 hash;
  std::size_t byte = 0;
  for (std::size_t i = 0; i < uuid.size();) {
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (uuid[i] != '-') throw std::invalid_argument("expected a UUID");
      ++i;
      continue;
    }
    hash.bytes[byte++] = static_cast<unsigned char>(Digit(uuid[i]) * 16 + Digit(uuid[i + 1]));
    i += 2;
  }
  return hash;
}

std::array<unsigned char, kSha256Bytes> Sha256(std::string_view data) {
  std::array<unsigned char, kSha256Bytes> digest{};
  EVP_MD_CTX* const context = ThreadContext();
  if (EVP_DigestInit_ex2(context, FetchedSha256(), nullptr) != 1 ||
      EVP_DigestUpdate(context, data.data(), data.size()) != 1 ||
      EVP_DigestFinal_ex(context, digest.data(), nullptr) != 1) {
    throw std::runtime_error("OpenSSL failed to compute a SHA-256");
  }
  return digest;
}

std::string Sha256Hex(std::string_view data) {
  const auto digest = Sha256(data);
  std::string hex;
  AppendHex(hex, digest.data(), digest.size());
  return hex;
}

}  // namespace tunehub::core
