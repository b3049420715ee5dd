// Which installed PostgreSQL runs a cluster: an existing one only by the major version that made
// it.
#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace tunehub::embedded {

struct Binaries {
  int version = 0;  // major
  std::filesystem::path initdb;
  std::filesystem::path postgres;
};

// `root` holds one folder per major version, as Debian lays them out: ROOT/15/bin/postgres.
// `pg_dir` need not exist; then the newest version is taken.
// Errors: postgres_missing, postgres_version.
core::Result<Binaries> FindBinaries(const std::filesystem::path& root,
                                    const std::filesystem::path& pg_dir);

}  // namespace tunehub::embedded
