// Manages the secret that signs answers. It is one file, the same on all servers of a database. The
// database contains the public keys. The newest public key is in force. Every call may throw
// Unavailable.
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
  std::string rotation;  // a .minisig by the previous key; "": that key did not sign
  std::string created;   // RFC 3339
};

// Returns the oldest key first.
std::vector<SigningKeyRecord> ListSigningKeys(ConnectionPool& pool);

// Reads the secret in `file`, or makes the file if it is missing and the database has no signing
// key. Then this key becomes the first. Each error contains advice. Errors:
// - other_signing_key: the file is missing, or does not belong to the key in force
// - bad_signing_key: other users may read the file, or it contains no key
// - file_unwritable
core::Result<core::SecretKey> LoadSigningKey(ConnectionPool& pool,
                                             const std::filesystem::path& file);

// Checks if a server with that file would start. Changes nothing. Errors: other_signing_key,
// bad_signing_key.
core::Status CheckSigningKey(ConnectionPool& pool, const std::filesystem::path& file);

// Puts a new signing key in force and writes its secret to `file`. The old key signs the new key,
// unless `lost` is true. Errors: those of LoadSigningKey, rotated_meanwhile.
core::Result<core::SecretKey> RotateSigningKey(ConnectionPool& pool,
                                               const std::filesystem::path& file, bool lost);

}  // namespace tunehub::server
