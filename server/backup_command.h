// tunehub-server backup DIR, restore DIR.
#pragma once

#include <string>

#include "server/settings.h"

namespace tunehub::server {

struct BackupOptions {
  std::string place;
  int keep = 0;          // 0: the place is the backup; else it has backups, of which so many stay
  bool replace = false;  // restore: also into a database that is not empty
  bool revive_keys = false;  // restore: all keys are as in the backup
};

// Each answers the exit status.
int Backup(const Settings& settings, const BackupOptions& options);
int Restore(const Settings& settings, const BackupOptions& options);

}  // namespace tunehub::server
