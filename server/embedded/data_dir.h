// Makes and checks the data folder, DIR.
#pragma once

#include <filesystem>
#include <optional>

#include "core/base/file.h"
#include "core/base/result.h"
#include "server/embedded/db_user.h"

namespace tunehub::embedded {

// Returns the error data_dir_unusable, with the system's text for `error_number`.
core::Error Unusable(const std::filesystem::path& path, int error_number);

// Makes DIR and its missing parents. Returns an absolute path without links, because PostgreSQL
// starts with another current folder. Errors: data_dir_unusable.
core::Result<std::filesystem::path> MakeDataDir(const std::filesystem::path& data_dir);

// For a command that root runs in a server's folder. Gives a new file to the folder's owner,
// because otherwise the server could not open it. Skips a file with a second hard link, which may
// belong to anybody. Errors: data_dir_unusable.
core::Status GiveNewFile(const core::Fd& fd, const std::filesystem::path& path);

// For a server that still runs as root. Makes DIR. If root owns DIR, gives it to `user`, with the
// files that root's commands made there. Does not change the folder of another user. Refuses a DIR
// with other files, because it may be a system folder. Errors: data_dir_unusable.
core::Status GiveDataDir(const std::filesystem::path& data_dir, const DatabaseUser& user);

// Makes the private folder of PostgreSQL's socket: mode 0700, owned by the user, without old
// sockets. The path of DIR may be too long for a socket (107 bytes), so the folder is outside DIR.
// DIR/pg.socket records its path. At a restart, `known` is the earlier folder, which this process's
// connections use. If `known` is empty, uses the recorded folder if it still exists, or else a new
// folder. Precondition: this process has locked DIR/pg.lock. Errors: data_dir_unusable.
core::Result<std::filesystem::path> PrepareSocketDir(const std::filesystem::path& data_dir,
                                                     const DatabaseUser& user,
                                                     const std::filesystem::path& known);

// Call it when PostgreSQL accepts connections. Errors: data_dir_unusable.
core::Status RecordSocketDir(const std::filesystem::path& data_dir,
                             const std::filesystem::path& socket_dir);
std::optional<std::filesystem::path> RecordedSocketDir(const std::filesystem::path& data_dir);

void RemoveSocketDir(const std::filesystem::path& data_dir,
                     const std::filesystem::path& socket_dir);

}  // namespace tunehub::embedded
