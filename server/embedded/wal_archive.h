// What the cluster writes ahead (WAL), kept in a folder for as long as its owner likes: with a base
// backup, every moment since then can be had again (deploy/point-in-time).
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/base/result.h"
#include "server/embedded/db_user.h"

namespace tunehub::embedded {

// PostgreSQL's settings by which it copies each finished file into FOLDER/<the cluster's system
// identifier>, which is made: two clusters name their files alike. Precondition: the cluster
// exists. Errors: data_dir_unusable.
core::Result<std::map<std::string, std::string>> ArchiveSettings(
    const std::filesystem::path& folder, const std::filesystem::path& pg_dir,
    const DatabaseUser& user);

}  // namespace tunehub::embedded
