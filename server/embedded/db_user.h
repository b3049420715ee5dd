// Chooses the system user of PostgreSQL. PostgreSQL refuses to run as root, so a server that runs
// as root chooses another user.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace tunehub::embedded {

struct DatabaseUser {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
  std::string name, home;
  bool switched = false;  // true: another user than the server's own user
};

// Returns the server's own user if it is not root. Otherwise returns the owner of an existing
// cluster, or else the user `postgres`. Errors: data_dir_unusable, postgres_missing.
core::Result<DatabaseUser> ChooseDatabaseUser(const std::filesystem::path& pg_dir);

// Errors: unknown_user.
core::Result<DatabaseUser> UserNamed(const std::string& name);
std::optional<DatabaseUser> UserOf(uid_t uid);
// Returns the owner of a file. Absent if there is no file, or if its owner has no name on this
// system.
std::optional<DatabaseUser> OwnerOf(const std::filesystem::path& path);

// Makes the user the owner of a file or folder, but not of a link's target. Does nothing for the
// server's own user. After a failure returns false and sets errno.
bool Give(const std::filesystem::path& path, const DatabaseUser& user);

// Makes only async-signal-safe calls, so a child may call it between fork and exec. After a failure
// returns false and sets errno.
bool BecomeUser(const DatabaseUser& user);

// Returns the first folder on the way to `path` (or `path` itself) that the user may not enter.
std::optional<std::filesystem::path> FirstUnreachable(const std::filesystem::path& path,
                                                      const DatabaseUser& user);

}  // namespace tunehub::embedded
