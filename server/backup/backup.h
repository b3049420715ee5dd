// Makes a backup: one state of the database as pg_dump writes it, and a manifest.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "server/backup/manifest.h"
#include "server/store/store.h"

namespace tunehub::backup {

struct BackupRequest {
  std::string url;              // of the database that the store works on
  std::filesystem::path place;  // absent, empty, or a backup of before, which is replaced
  std::string program;          // the version that the manifest names
};

// Beside servers that write. The place has the backup of before or the whole new one, at every
// moment. Errors: not_a_backup (the place holds something else, which is named), backup_failed,
// postgres_missing, file_unwritable, bad_setting.
core::Result<Manifest> MakeBackup(store::Store& store, const BackupRequest& request);

}  // namespace tunehub::backup
