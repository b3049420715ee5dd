#include "core/base/signature.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "core/base/encoding.h"
#include "core/base/hash.h"
#include "core/base/process.h"
#include "core/base/text.h"

namespace tunehub::core {
namespace {

constexpr std::string_view kKeyKind = "Ed", kSignatureKind = "ED";  // minisign's names
constexpr std::string_view kUntrusted = "untrusted comment: ", kTrusted = "trusted comment: ";
constexpr std::size_t kIdBytes = 8, kPointBytes = 32, kSignatureBytes = 64;
constexpr std::size_t kLongestAsked = 2'000;

const unsigned char* Raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* Raw(std::string& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

void Expect(bool done) {
  if (!done) throw std::runtime_error("OpenSSL failed to sign or to verify");
}

std::string Blake2b(std::string_view bytes) {
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned size = 0;
  Expect(EVP_Digest(bytes.data(), bytes.size(), Raw(digest), &size, EVP_blake2b512(), nullptr) ==
         1);
  return digest.substr(0, size);
}

using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

std::string SignRaw(EVP_PKEY* key, std::string_view bytes) {
  const Context context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  std::string made(kSignatureBytes, '\0');
  std::size_t size = made.size();
  Expect(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key) == 1 &&
         EVP_DigestSign(context.get(), Raw(made), &size, Raw(bytes), bytes.size()) == 1);
  return made;
}

bool IsSignedBy(const PublicKey& key, std::string_view signature, std::string_view bytes) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> made(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, Raw(key.point), key.point.size()),
      &EVP_PKEY_free);
  const Context context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  Expect(EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, made.get()) == 1);
  const bool holds = EVP_DigestVerify(context.get(), Raw(signature), signature.size(), Raw(bytes),
                                      bytes.size()) == 1;
  ERR_clear_error();  // otherwise this thread's next TLS call would report this error as its own
  return holds;
}

// Returns the decoded bytes behind the line's kind; nullopt for another kind, another size or
// invalid base64.
std::optional<std::string> Unpacked(std::string_view line, std::string_view kind,
                                    std::size_t size) {
  auto bytes = FromBase64(line);
  if (!bytes || !bytes->starts_with(kind) || bytes->size() != kind.size() + size)
    return std::nullopt;
  return bytes->substr(kind.size());
}

Error BadLine(const char* code, std::size_t line, std::string_view text, std::string_view wanted) {
  return {code,
          fmt::format("line {}: '{}': expected {}", line, PlainText(Excerpt(text)), wanted),
          {.row = line}};
}

}  // namespace

std::string PublicKey::Text() const {
  return Base64(std::string(kKeyKind) + id + point);
}

Result<PublicKey> ParsePublicKey(std::string_view text) {
  const auto lines = SplitAfter(text.substr(0, kMaxSignatureBytes), "\n");
  const bool whole = lines.size() == 1 || (lines.size() == 2 && lines[0].starts_with(kUntrusted));
  const std::string_view line = lines.empty() ? "" : lines.back();
  const auto bytes = Unpacked(line, kKeyKind, kIdBytes + kPointBytes);
  if (!whole || !bytes) {
    return BadLine("bad_public_key", lines.size(), line,
                   "a public key of minisign: one line of base64, in a file after a comment line");
  }
  return PublicKey{bytes->substr(0, kIdBytes), bytes->substr(kIdBytes)};
}

Result<Minisig> ParseSignature(std::string_view text) {
  constexpr const char* kCode = "bad_signature";
  const auto lines = SplitAfter(text.substr(0, kMaxSignatureBytes), "\n");
  if (lines.size() != 4 || !text.ends_with('\n') || text.size() > kMaxSignatureBytes) {
    return Error{kCode, fmt::format("has {} lines and {} bytes; expected a signature, which has 4 "
                                    "whole lines and at most {} bytes",
                                    lines.size(), text.size(), kMaxSignatureBytes)};
  }
  const auto of_bytes = Unpacked(lines[1], kSignatureKind, kIdBytes + kSignatureBytes);
  auto of_comment = Unpacked(lines[3], "", kSignatureBytes);
  if (!lines[0].starts_with(kUntrusted)) return BadLine(kCode, 1, lines[0], "an untrusted comment");
  if (!of_bytes) return BadLine(kCode, 2, lines[1], "base64 of a prehashed signature");
  if (!lines[2].starts_with(kTrusted) || HoldsControl(lines[2]))
    return BadLine(kCode, 3, lines[2], "a trusted comment");
  if (!of_comment) return BadLine(kCode, 4, lines[3], "base64 of the comment's signature");
  return Minisig{of_bytes->substr(0, kIdBytes), of_bytes->substr(kIdBytes),
                 std::string(lines[2].substr(kTrusted.size())), *std::move(of_comment)};
}

Status CheckSignature(const PublicKey& key, const Minisig& signature, std::string_view bytes,
                      std::string_view comment) {
  if (signature.key_id != key.id || !IsSignedBy(key, signature.of_bytes, Blake2b(bytes)) ||
      !IsSignedBy(key, signature.of_comment, signature.of_bytes + signature.comment)) {
    return Error{"bad_signature",
                 fmt::format("the signature does not match these bytes and the key {}, so someone "
                             "changed the bytes or the signature",
                             key.Text())};
  }
  if (signature.comment == comment) return Ok();
  return Error{"other_statement", fmt::format("the signature is for '{}'; expected one for '{}'",
                                              Excerpt(signature.comment, kLongestAsked),
                                              Excerpt(comment, kLongestAsked))};
}

Result<SecretKey> SecretKey::Parse(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  const auto seed = Unpacked(text, "", kPointBytes);
  // The message must not quote the text, which may be most of a secret.
  if (!seed) return Error{"bad_signing_key", "its first line must be the base64 of 32 bytes"};
  SecretKey key;
  key.key_ = {EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, Raw(*seed), seed->size()),
              &EVP_PKEY_free};
  std::size_t size = kPointBytes;
  key.public_.point.resize(size);
  Expect(EVP_PKEY_get_raw_public_key(key.key_.get(), Raw(key.public_.point), &size) == 1);
  // minisign uses random ids. Here the id follows from the secret, because all copies of a secret
  // need the same id.
  const auto digest = Sha256(key.public_.point);
  key.public_.id.assign(digest.begin(), digest.begin() + kIdBytes);
  return key;
}

std::string SecretKey::NewText() {
  return Base64(RandomBytes(kPointBytes)) + "\n";
}

std::string SecretKey::Sign(std::string_view bytes, std::string_view comment) const {
  const std::string of_bytes = SignRaw(key_.get(), Blake2b(bytes));
  return fmt::format("{}tunehub\n{}\n{}{}\n{}\n", kUntrusted,
                     Base64(std::string(kSignatureKind) + public_.id + of_bytes), kTrusted, comment,
                     Base64(SignRaw(key_.get(), of_bytes + std::string(comment))));
}

std::string AnswerStatement(const Pin& pin, std::string_view asked, std::string_view bytes) {
  return fmt::format("tunehub answer pin={} query={} sha256={}", pin.Text(), asked,
                     Sha256Hex(bytes));
}

void AddSums(std::vector<TarFile>& files, const SecretKey& key, const Pin& pin,
             std::string_view asked) {
  std::string sums;
  for (const TarFile& file : files) {
    sums += fmt::format("{}  {}\n", Sha256Hex(file.bytes), file.name);
  }
  std::string signature;
  if (key.any()) signature = SignAnswer(key, pin, asked, sums);
  files.push_back({"SHA256SUMS", std::move(sums)});
  if (!signature.empty()) files.push_back({"SHA256SUMS.minisig", std::move(signature)});
}

std::string AskedText(std::string_view path,
                      std::vector<std::pair<std::string, std::string>> parameters) {
  std::string text;
  for (const std::string_view part : SplitAt(path.substr(path.find('/') + 1), "/"))
    text += "/" + PercentEncoded(part);
  std::erase_if(parameters, [](const auto& it) { return it.first == "revision"; });
  std::ranges::sort(parameters);
  char before = '?';
  for (const auto& [name, value] : parameters) {
    text += fmt::format("{}{}={}", before, PercentEncoded(name), PercentEncoded(value));
    before = '&';
  }
  return text.size() <= kLongestAsked ? text : "sha256:" + Sha256Hex(text);
}

}  // namespace tunehub::core
