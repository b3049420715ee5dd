// Makes a backup: pg_dump's output of one state of the database, and a manifest. pg_dump knows each
// kind of object and their order, also after a new migration, and a person can restore its output
// without tunehub.
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
  std::filesystem::path place;  // absent, empty, or an earlier backup, which is replaced
  std::string program;          // the version that the manifest names
};

// Servers may write meanwhile. At every moment the place has the earlier backup or the whole new
// one. Errors: not_a_backup (the place holds something else, which is named), backup_failed,
// postgres_missing, file_unwritable, bad_setting.
core::Result<BackupManifest> MakeBackup(ConnectionPool& pool, const BackupRequest& request);

// Puts a backup into a database.
struct RestoreRequest {
  std::string url;  // of the database that the pool works on
  std::filesystem::path backup;
  bool replace = false;      // drops the database's content
  bool revive_keys = false;  // keys become as in the backup, revoked ones too
};

struct Restored {
  BackupManifest manifest;
  std::vector<KeyName> revoked;  // keys in force in the backup, which the restore revoked
};

// Works in one transaction, so the database has the whole backup or its earlier content. Checks
// every digest before it begins. Running servers go on with the new history, which they recognize
// by its revisions' tokens. A key stays in force only if it was in force in the database before:
// only that database knows which keys were revoked since the backup. Errors: those of CheckBackup;
// newer_schema (of another program), database_not_empty, restore_failed, postgres_missing,
// bad_setting.
core::Result<Restored> Restore(ConnectionPool& pool, const RestoreRequest& request);

// A backup's name in a folder of backups: the time when it was made, 2026-01-31T12-00-00Z.
std::string NameAt(std::chrono::system_clock::time_point time);

// The time of the folder's newest backup, by its name; the earliest possible time if the folder has
// none or cannot be read.
std::chrono::system_clock::time_point NewestMade(const std::filesystem::path& folder);

// Removes the oldest backups of the folder but for `keep`. Entries without such a name or without a
// manifest stay. Returns the removed names. If the process is killed, no backup lacks a part.
// Errors: file_unreadable, file_unwritable.
core::Result<std::vector<std::string>> RemoveOld(const std::filesystem::path& folder,
                                                 std::size_t keep);

}  // namespace tunehub::server
