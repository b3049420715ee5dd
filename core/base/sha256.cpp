#include "core/base/sha256.h"

#include <openssl/evp.h>

#include <memory>
#include <stdexcept>

#include "core/base/hex.h"

namespace tunehub::core {
namespace {

// OpenSSL 3 looks an algorithm up by name on every digest unless it was fetched before: for the
// hundred bytes of a key that lookup would cost more than the hash.
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
