// The system user of PostgreSQL, which refuses to run as root: a root server picks another user.
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
  bool switched = false;  // another user than the server's own
};

// The owner of an existing cluster, else the user `postgres`; the server's own user if it is not
// root. Errors: data_dir_unusable, postgres_missing.
core::Result<DatabaseUser> ChooseDatabaseUser(const std::filesystem::path& pg_dir);

// Errors: unknown_user.
core::Result<DatabaseUser> UserNamed(const std::string& name);
std::optional<DatabaseUser> UserOf(uid_t uid);
// The owner of a file; absent if there is no file, or its owner has no name here.
std::optional<DatabaseUser> OwnerOf(const std::filesystem::path& path);

// Gives the user a file or folder, but not a link's target. Does nothing for the server's own user.
// False: errno says why.
bool Give(const std::filesystem::path& path, const DatabaseUser& user);

// A child may call it between fork and exec: it makes only async-signal-safe calls. False: errno
// says why.
bool BecomeUser(const DatabaseUser& user);

// The first folder on the way to `path`, itself included, that the user may not enter.
std::optional<std::filesystem::path> FirstUnreachable(const std::filesystem::path& path,
                                                      const DatabaseUser& user);

}  // namespace tunehub::embedded
