// Makes a cluster in DIR/pg.tmp: runs initdb, and makes the database `tunehub`. Then renames it to
// DIR/pg in one step, so a killed server leaves no partial cluster.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/base/result.h"
#include "server/embedded/db_user.h"
#include "server/embedded/launch.h"

namespace tunehub::embedded {

// The superuser of the cluster. The database has the same name.
constexpr const char* kRole = "tunehub";
constexpr const char* kDatabase = "tunehub";

struct Creation {
  std::filesystem::path data_dir;
  Binaries binaries;
  const DatabaseUser& user;
  int lock_fd;
  int log_fd;
  bool sync;  // false only in tests that turn fsync off
};

// Precondition: this process has locked DIR/pg.lock. Errors: data_dir_unusable, postgres_failed.
core::Status CreateCluster(const Creation& creation);

// Returns settings with which PostgreSQL archives its WAL. PostgreSQL then copies each finished
// file into FOLDER/<the cluster's system identifier>, because two clusters use equal file names.
// This function makes that folder. With a base backup, an administrator can restore every later
// moment (deploy/point-in-time). Precondition: the cluster exists. Errors: data_dir_unusable.
core::Result<std::map<std::string, std::string>> ArchiveSettings(
    const std::filesystem::path& folder, const std::filesystem::path& pg_dir,
    const DatabaseUser& user);

}  // namespace tunehub::embedded
