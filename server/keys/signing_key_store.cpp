#include "server/keys/signing_key_store.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "core/base/file.h"
#include "server/db/transaction.h"
#include "server/db/write_once.h"
#include "sql.h"

namespace tunehub::server {
namespace {

namespace fs = std::filesystem;
using Secret = core::Result<core::SecretKey>;

constexpr mode_t kSecretMode = 0600;
constexpr mode_t kTooOpen = 0037;  // Kubernetes gives a secret's group read access
constexpr const char* kMissing = "file_not_found";

Secret ReadSecret(const fs::path& file) {
  const auto opened = core::OpenFile(file);
  if (!opened.ok()) return opened.error();
  struct stat info {};
  if (::fstat(opened->fd.get(), &info) != 0) return core::Unreadable(file, errno);
  if ((info.st_mode & kTooOpen) != 0) {
    return core::Error{
        "bad_signing_key",
        fmt::format("{}: mode {:04o} lets other users read this secret. Run chmod 0600. If "
                    "somebody may have read it, also run `key rotate-signing --lost`",
                    file.string(), info.st_mode & 07777)};
  }
  const auto bytes = core::FileBytes::Read(file, *opened);
  if (!bytes.ok()) return bytes.error();
  auto secret = core::SecretKey::Parse(bytes->view());
  return secret.ok() ? secret : secret.error().In(file.string());
}

// Returns the path of a new secret until the database has its public key.
fs::path NextOf(const fs::path& file) {
  return file.string() + ".next";
}

core::Status WriteSecret(const fs::path& file, std::string_view secret) {
  if (core::Status made = core::MakeFolder(file.parent_path()); !made.ok()) return made;
  ::unlink(file.c_str());
  const core::Fd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kSecretMode));
  struct stat folder {};
  // If root runs the command, it makes the file for the server's user, who owns the folder.
  const bool ready = fd.ok() && ::stat(file.parent_path().c_str(), &folder) == 0 &&
                     (::geteuid() != 0 || ::fchown(fd.get(), folder.st_uid, folder.st_gid) == 0);
  return ready ? core::WriteAndSync(fd.get(), secret, file) : core::Unwritable(file, errno);
}

struct FoundSecret {
  core::SecretKey secret;  // empty: neither the database nor the file has a key
  // true: a rotation ended after the change of the database and before the change of the file
  bool is_next = false;
};

core::Result<FoundSecret> FindSecret(const std::vector<SigningKeyRecord>& keys,
                                     const fs::path& file) {
  const auto secret = ReadSecret(file);
  const bool missing = !secret.ok() && secret.error().code == kMissing;
  if (!secret.ok() && !missing) return secret.error();
  if (keys.empty()) return missing ? FoundSecret() : FoundSecret{*secret};
  const std::string& in_force = keys.back().text;
  if (!missing && secret->public_key().Text() == in_force) return FoundSecret{*secret};
  const auto next = ReadSecret(NextOf(file));
  if (next.ok() && next->public_key().Text() == in_force) return FoundSecret{*next, true};
  return core::Error{
      "other_signing_key",
      fmt::format("{}: {}, but answers of this database are signed with the key {}. Copy "
                  "signing_key from another server of this database, or make a new key: "
                  "tunehub-server key rotate-signing --lost",
                  file.string(), missing ? "is missing" : "is the secret of another key",
                  in_force)};
}

// Errors: rotated_meanwhile (a key with that number already exists).
core::Status AddSigningKey(ConnectionPool& pool, std::int64_t id, const core::PublicKey& key,
                           const std::optional<std::string>& rotation) {
  return InTransaction(pool, [&](pqxx::work& transaction) -> Ending<std::monostate> {
    if (transaction.exec_params(sql::add_signing_key, id, key.Text(), rotation).empty())
      return core::Error{"rotated_meanwhile",
                         "another server or command has made a new signing key"};
    Audit(transaction, {}, "key sign", fmt::format("answers by {} from now on", key.Text()));
    return std::monostate{};
  });
}

// Makes a new key. `old` signs the new key; if `old` is empty, nobody signs it.
Secret PutInForce(ConnectionPool& pool, const fs::path& file, const core::SecretKey& old) {
  const std::string text = core::SecretKey::NewText();
  auto secret = core::SecretKey::Parse(text);
  const core::PublicKey& made = secret->public_key();
  std::optional<std::string> rotation;
  if (old.any()) rotation = old.Sign(made.Text(), core::RotationStatement(made));
  const auto keys = ListSigningKeys(pool);
  core::Status status = WriteSecret(NextOf(file), text);
  if (status.ok())
    status = AddSigningKey(pool, keys.empty() ? 1 : keys.back().id + 1, made, rotation);
  if (status.ok()) status = core::RenameDurably(NextOf(file), file);
  return status.ok() ? secret : status.error();
}

}  // namespace

std::vector<SigningKeyRecord> ListSigningKeys(ConnectionPool& pool) {
  std::vector<SigningKeyRecord> keys;
  for (const auto& row : Query(pool, sql::list_signing_keys))
    keys.push_back({row[0].as<std::int64_t>(), row[1].as<std::string>(), row[2].as<std::string>(""),
                    ReadTime(row[3])});
  return keys;
}

core::Status CheckSigningKey(ConnectionPool& pool, const fs::path& file) {
  const auto found = FindSecret(ListSigningKeys(pool), file);
  return found.ok() ? core::Ok() : core::Status(found.error());
}

Secret LoadSigningKey(ConnectionPool& pool, const fs::path& file) {
  const auto keys = ListSigningKeys(pool);
  auto found = FindSecret(keys, file);
  if (!found.ok()) return found.error();
  if (!found->secret.any()) return PutInForce(pool, file, {});
  core::Status status = core::Ok();
  if (keys.empty()) {
    status = AddSigningKey(pool, 1, found->secret.public_key(), {});
    // Another server with the same secret may have been faster.
    if (!status.ok()) return LoadSigningKey(pool, file);
  }
  if (found->is_next) status = core::RenameDurably(NextOf(file), file);
  return status.ok() ? Secret(std::move(found->secret)) : status.error();
}

Secret RotateSigningKey(ConnectionPool& pool, const fs::path& file, bool lost) {
  const auto old = lost ? Secret(core::SecretKey()) : LoadSigningKey(pool, file);
  return old.ok() ? PutInForce(pool, file, *old) : old;
}

}  // namespace tunehub::server
