// Makes a backup: pg_dump's output for one state of the database, and a manifest. pg_dump knows
// every kind of object and the order of objects, even after a new migration. An administrator can
// restore its output without tunehub.
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
  std::string url;              // the database of the pool
  std::filesystem::path place;  // absent, empty, or an earlier backup, which the new one replaces
  std::string program;          // the version for the manifest
};

// Servers may write during the backup. At every moment the place contains either the earlier backup
// or the whole new one. Errors: not_a_backup (the place contains other files; the error lists
// them), backup_failed, postgres_missing, file_unwritable, bad_setting.
core::Result<BackupManifest> MakeBackup(ConnectionPool& pool, const BackupRequest& request);

// Puts a backup into a database.
struct RestoreRequest {
  std::string url;  // the database of the pool
  std::filesystem::path backup;
  bool replace = false;  // true: drop the database's content
  // true: revoked keys also become valid again if they were valid in the backup
  bool revive_keys = false;
};

struct Restored {
  BackupManifest manifest;
  // keys that were in force in the backup and that the restore revoked
  std::vector<KeyName> revoked;
};

// Works in one transaction. So the database contains either the whole backup or its earlier
// content. Checks every digest before it begins. Running servers continue with the new history,
// which they recognize by its revisions' tokens. A key of the backup stays in force only if it was
// in force in the replaced database. Only that database knows later revocations. Errors: those of
// CheckBackup, newer_schema (a newer program made the backup), database_not_empty, restore_failed,
// postgres_missing, bad_setting.
core::Result<Restored> Restore(ConnectionPool& pool, const RestoreRequest& request);

// Returns a backup's name in a folder of backups: its time, such as 2026-01-31T12-00-00Z.
std::string NameAt(std::chrono::system_clock::time_point time);

// Returns the time of the folder's newest backup, by its name. Returns the earliest possible time
// if there is no backup or the folder cannot be read.
std::chrono::system_clock::time_point NewestMade(const std::filesystem::path& folder);

// Removes the folder's oldest backups and keeps `keep` of them. Leaves entries with other names or
// without a manifest. Returns the removed names. If somebody kills the process, every remaining
// backup is complete. Errors: file_unreadable, file_unwritable.
core::Result<std::vector<std::string>> RemoveOld(const std::filesystem::path& folder,
                                                 std::size_t keep);

}  // namespace tunehub::server
