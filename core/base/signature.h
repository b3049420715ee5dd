// Ed25519 signatures in the formats of minisign, which `minisign -V` verifies, and what they name.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/pin.h"
#include "core/base/result.h"

struct evp_pkey_st;

namespace tunehub::core {

struct PublicKey {
  std::string id, point;  // 8 and 32 bytes

  bool operator==(const PublicKey&) const = default;
  std::string Text() const;  // base64 of both, as `minisign -P` takes it
};

// `text`: what Text() writes, or minisign's file, whose second line that is. Error bad_public_key,
// with line and value.
Result<PublicKey> ParsePublicKey(std::string_view text);

// A .minisig: signs the BLAKE2b-512 of a file (minisign's "ED"), and with that a comment.
struct Minisig {
  std::string key_id, of_bytes, comment, of_comment;
};

inline constexpr std::size_t kMaxSignatureBytes = 9'000;  // minisign reads comments up to 8192

// Four lines, with any untrusted comment. Error bad_signature, with line and value.
Result<Minisig> ParseSignature(std::string_view text);

// Errors: bad_signature (not of these bytes by this key); other_statement (a good one, with another
// comment).
Status CheckSignature(const PublicKey& key, const Minisig& signature, std::string_view bytes,
                      std::string_view comment);

// A secret that signs; by default none. Copies share it. Safe from any thread.
class SecretKey {
 public:
  SecretKey() = default;
  // 32 random bytes in base64, as of `openssl rand -base64 32`. Error bad_signing_key.
  static Result<SecretKey> Parse(std::string_view text);
  static std::string NewText();

  bool any() const { return key_ != nullptr; }
  const PublicKey& public_key() const { return public_; }
  // A .minisig. Preconditions: any(); the comment has no control character.
  std::string Sign(std::string_view bytes, std::string_view comment) const;

 private:
  std::shared_ptr<evp_pkey_st> key_;
  PublicKey public_;
};

// The comment of an answer's signature: nobody can pass it off as another answer's. `asked`: from
// AskedText. `bytes`: what is signed.
std::string AnswerStatement(const Pin& pin, std::string_view asked, std::string_view bytes);
inline std::string SignAnswer(const SecretKey& key, const Pin& pin, std::string_view asked,
                              std::string_view bytes) {
  return key.Sign(bytes, AnswerStatement(pin, asked, bytes));
}

// "/tuned/fmoe?cu_num=304&gfx=gfx942": path and sorted parameters, encoded. Without revision, which
// the pin says. A long text becomes its digest.
std::string AskedText(std::string_view path,
                      std::vector<std::pair<std::string, std::string>> parameters);

// A channel's name: it becomes part of an address.
inline constexpr std::string_view kChannelRule = "1 to 64 of a-z 0-9 -";
inline bool IsChannelName(std::string_view text) {
  constexpr std::string_view kChars = "abcdefghijklmnopqrstuvwxyz0123456789-";
  constexpr std::size_t kMostBytes = 64;
  return !text.empty() && text.size() <= kMostBytes &&
         text.find_first_not_of(kChars) == std::string_view::npos;
}

// The comment by which an old key signs next.Text().
inline std::string RotationStatement(const PublicKey& next) {
  return "tunehub next key " + next.Text();
}

}  // namespace tunehub::core
