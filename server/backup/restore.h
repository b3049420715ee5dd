// Puts a backup into a database.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "server/backup/manifest.h"
#include "server/store/store.h"

namespace tunehub::backup {

struct RestoreRequest {
  std::string url;  // of the database that the store works on
  std::filesystem::path backup;
  bool replace = false;      // what the database has is dropped
  bool revive_keys = false;  // keys are as in the backup, also those that were revoked since
};

struct Restored {
  Manifest manifest;
  std::vector<store::KeyName> revoked;  // in force in the backup, and now no more
};

// In one transaction: the database has all of the backup, or what it had. Every digest is checked
// before it begins. Servers that run on the database go on with the new history, which they know by
// the tokens of its revisions. A key stays in force only where the database had it in force until
// now: nobody else knows which keys were revoked since the backup. Errors: those of CheckBackup;
// newer_schema (of another program), database_not_empty, restore_failed, postgres_missing,
// bad_setting.
core::Result<Restored> Restore(store::Store& store, const RestoreRequest& request);

}  // namespace tunehub::backup
