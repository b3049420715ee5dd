// The secret that signs answers: one file, the same on all servers of a database. The database has
// the public keys; the newest is in force. Every call may throw Unavailable.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/signature.h"

namespace tunehub::server {

class ConnectionPool;

struct SigningKeyRecord {
  std::int64_t id = 0;
  std::string text;      // core::PublicKey::Text()
  std::string rotation;  // a .minisig by the key before; "": it said nothing
  std::string created;   // RFC 3339
};

// The oldest first.
std::vector<SigningKeyRecord> ListSigningKeys(ConnectionPool& pool);

// The secret in `file`. If the database knows no key, the file's becomes the first; a missing file
// is made. Errors, with advice: other_signing_key (no secret is here, or it is not that of the key
// in force), bad_signing_key (others may read the file, or it holds no key), file_unwritable.
core::Result<core::SecretKey> LoadSigningKey(ConnectionPool& pool,
                                             const std::filesystem::path& file);

// Whether a server of that file would start; changes nothing. Errors: other_signing_key,
// bad_signing_key.
core::Status CheckSigningKey(ConnectionPool& pool, const std::filesystem::path& file);

// Puts a new key in force and its secret into `file`. The old key signs it, unless that is `lost`.
// Errors: those of LoadSigningKey, rotated_meanwhile.
core::Result<core::SecretKey> RotateSigningKey(ConnectionPool& pool,
                                               const std::filesystem::path& file, bool lost);

}  // namespace tunehub::server
