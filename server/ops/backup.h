// Makes a backup: one state of the database as pg_dump writes it, and a manifest. pg_dump knows
// each kind of object and their order, in a new migration too. A person can restore it without
// tunehub.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "server/db/connection_pool.h"
#include "server/ops/manifest.h"

namespace tunehub::server {

struct BackupRequest {
  std::string url;              // of the database that the pool works on
  std::filesystem::path place;  // absent, empty, or a backup of before, which is replaced
  std::string program;          // the version that the manifest names
};

// Beside servers that write. The place has the backup of before or the whole new one, at every
// moment. Errors: not_a_backup (the place holds something else, which is named), backup_failed,
// postgres_missing, file_unwritable, bad_setting.
core::Result<BackupManifest> MakeBackup(ConnectionPool& pool, const BackupRequest& request);

// Puts a backup into a database.
struct RestoreRequest {
  std::string url;  // of the database that the pool works on
  std::filesystem::path backup;
  bool replace = false;      // what the database has is dropped
  bool revive_keys = false;  // keys are as in the backup, also those that were revoked since
};

struct Restored {
  BackupManifest manifest;
  std::vector<KeyName> revoked;  // in force in the backup, and now no more
};

// In one transaction: the database has all of the backup, or what it had. Every digest is checked
// before it begins. Servers that run on the database go on with the new history, which they know by
// the tokens of its revisions. A key stays in force only where the database had it in force until
// now: nobody else knows which keys were revoked since the backup. Errors: those of CheckBackup;
// newer_schema (of another program), database_not_empty, restore_failed, postgres_missing,
// bad_setting.
core::Result<Restored> Restore(ConnectionPool& pool, const RestoreRequest& request);

// A folder of backups, each under the time when it was made: 2026-01-31T12-00-00Z.

std::string NameAt(std::chrono::system_clock::time_point time);

// When the newest backup of the folder was made, as far as names say; the oldest of times where it
// has none, or cannot be read: nobody knows of one.
std::chrono::system_clock::time_point NewestMade(const std::filesystem::path& folder);

// Removes the oldest backups of the folder but for `keep`; what has no such name or no manifest
// stays. Answers their names. A kill leaves none with a part missing. Errors: file_unreadable,
// file_unwritable.
core::Result<std::vector<std::string>> RemoveOld(const std::filesystem::path& folder,
                                                 std::size_t keep);

}  // namespace tunehub::server
