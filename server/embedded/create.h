// Makes a cluster: initdb and the database `tunehub`, in DIR/pg.tmp, then one rename to DIR/pg.
// A killed server thus leaves no half of one.
#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "server/embedded/binaries.h"
#include "server/embedded/db_user.h"

namespace tunehub::embedded {

// Superuser and database of the cluster.
constexpr const char* kRole = "tunehub";
constexpr const char* kDatabase = "tunehub";

struct Creation {
  std::filesystem::path data_dir;
  Binaries binaries;
  const DatabaseUser& user;
  int lock_fd;
  int log_fd;
  bool sync;  // false only where tests turn fsync off
};

// Precondition: DIR/pg.lock is held. Errors: data_dir_unusable, postgres_failed.
core::Status CreateCluster(const Creation& creation);

}  // namespace tunehub::embedded
