// tunehub-server backup DIR, restore DIR.
#pragma once

#include <string>
#include <vector>

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

// tunehub-server export --static DIR.

struct ExportOptions {
  std::string place;
  std::vector<int> revisions;
  bool open = false;  // also where reads need a key
};

// The exit status.
int Export(const Settings& settings, const ExportOptions& options);

// tunehub-server verify [--backup DIR].

// `backup`: a backup, restored into a PostgreSQL that lives as long as this; "": the database. The
// exit status: 1 where something does not hold.
int Verify(const Settings& settings, const std::string& backup);

}  // namespace tunehub::server
