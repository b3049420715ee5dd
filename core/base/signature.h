// Ed25519 signatures in minisign's formats, which `minisign -V` verifies, and the statements that
// they sign.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/archive.h"
#include "core/base/pin.h"
#include "core/base/result.h"

struct evp_pkey_st;

namespace tunehub::core {

struct PublicKey {
  std::string id, point;  // 8 and 32 bytes

  bool operator==(const PublicKey&) const = default;
  std::string Text() const;  // base64 of id and point, as `minisign -P` takes it
};

// `text`: one line from Text(), or minisign's key file, whose second line is such a text. Errors:
// bad_public_key, with line and value.
Result<PublicKey> ParsePublicKey(std::string_view text);

// A .minisig file: a signature of a file's BLAKE2b-512 (minisign's "ED"), and a second signature of
// the first signature and a comment.
struct Minisig {
  std::string key_id, of_bytes, comment, of_comment;
};

// minisign reads at most 8192 bytes of comment
inline constexpr std::size_t kMaxSignatureBytes = 9'000;

// Reads the four lines. The untrusted comment may be any text. Errors: bad_signature, with line and
// value.
Result<Minisig> ParseSignature(std::string_view text);

// Errors: bad_signature (the bytes, the key or the signature do not match); other_statement (the
// signature is valid, but for another comment).
Status CheckSignature(const PublicKey& key, const Minisig& signature, std::string_view bytes,
                      std::string_view comment);

// A secret key that signs; empty by default. Copies share the key. Thread-safe.
class SecretKey {
 public:
  SecretKey() = default;
  // `text`: 32 random bytes in base64, as `openssl rand -base64 32` prints. Errors:
  // bad_signing_key.
  static Result<SecretKey> Parse(std::string_view text);
  static std::string NewText();

  bool any() const { return key_ != nullptr; }
  const PublicKey& public_key() const { return public_; }
  // Returns a .minisig file. Preconditions: any(); the comment contains no control character.
  std::string Sign(std::string_view bytes, std::string_view comment) const;

 private:
  std::shared_ptr<evp_pkey_st> key_;
  PublicKey public_;
};

// The comment in an answer's signature. The comment ties the signature to one answer, so nobody can
// reuse the signature for another answer. `asked`: from AskedText. `bytes`: the signed bytes.
std::string AnswerStatement(const Pin& pin, std::string_view asked, std::string_view bytes);
inline std::string SignAnswer(const SecretKey& key, const Pin& pin, std::string_view asked,
                              std::string_view bytes) {
  return key.Sign(bytes, AnswerStatement(pin, asked, bytes));
}

// Adds SHA256SUMS, which lists all files, and with a key SHA256SUMS.minisig, which signs it.
void AddSums(std::vector<TarFile>& files, const SecretKey& key, const Pin& pin,
             std::string_view asked);

// Returns "/tuned/fmoe?cu_num=304&gfx=gfx942": path and sorted parameters, encoded. Omits the
// revision, because the pin contains it. Replaces a long text by its digest.
std::string AskedText(std::string_view path,
                      std::vector<std::pair<std::string, std::string>> parameters);

// The rule for a channel's name, which becomes part of a URL.
inline constexpr std::string_view kChannelRule = "1 to 64 of a-z 0-9 -";
inline bool IsChannelName(std::string_view text) {
  constexpr std::string_view kChars = "abcdefghijklmnopqrstuvwxyz0123456789-";
  constexpr std::size_t kMostBytes = 64;
  return !text.empty() && text.size() <= kMostBytes &&
         text.find_first_not_of(kChars) == std::string_view::npos;
}

// The comment under which an old key signs next.Text().
inline std::string RotationStatement(const PublicKey& next) {
  return "tunehub next key " + next.Text();
}

}  // namespace tunehub::core
