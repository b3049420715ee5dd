// Puts a backup into a database.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "server/backup/manifest.h"
#include "server/store/store.h"

namespace tunehub::backup {

struct RestoreRequest {
  std::string url;  // of the database that the store works on
  std::filesystem::path backup;
  bool replace = false;  // what the database has is dropped
};

// In one transaction: the database has all of the backup, or what it had. Every digest is checked
// before it begins. Servers that run on the database go on with the new history, which they know by
// the tokens of its revisions. Errors: those of CheckBackup; newer_schema (of a newer program),
// database_not_empty, restore_failed, postgres_missing, bad_setting.
core::Result<Manifest> Restore(store::Store& store, const RestoreRequest& request);

}  // namespace tunehub::backup
