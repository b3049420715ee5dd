// DIR itself.
#pragma once

#include <filesystem>
#include <optional>

#include "core/base/file.h"
#include "core/base/result.h"
#include "server/embedded/db_user.h"

namespace tunehub::embedded {

// data_dir_unusable, with what the system says of `error_number`.
core::Error Unusable(const std::filesystem::path& path, int error_number);

// Makes DIR and its missing parents; the answer is absolute and without links, because PostgreSQL
// starts with another current folder. Errors: data_dir_unusable.
core::Result<std::filesystem::path> MakeDataDir(const std::filesystem::path& data_dir);

// For a command that root runs in the folder of a server's user: a file that it makes there is that
// user's, or the server could not open it. Not where the file has another name elsewhere, which
// may be anybody's. Errors: data_dir_unusable.
core::Status GiveNewFile(const core::Fd& fd, const std::filesystem::path& path);

// For a server that is root until now: makes DIR, and gives it to `user` where it is root's, with
// the files that root's commands left in it; a folder of somebody else's is left alone.
// Refused where DIR holds other things: it may be one of the system's. Errors: data_dir_unusable.
core::Status GiveDataDir(const std::filesystem::path& data_dir, const DatabaseUser& user);

// The private folder of PostgreSQL's socket. DIR itself may be too long a path for one (107 bytes),
// so it is a short one elsewhere, and DIR/pg.socket says where.

// A folder of mode 0700 that belongs to the user. `known`: where PostgreSQL listened before in this
// process, whose connections know no other; "" at its start: then the recorded one if it is still
// there, else a new one. Empty of old sockets. Precondition: DIR/pg.lock is held. Errors:
// data_dir_unusable.
core::Result<std::filesystem::path> PrepareSocketDir(const std::filesystem::path& data_dir,
                                                     const DatabaseUser& user,
                                                     const std::filesystem::path& known);

// Written when PostgreSQL accepts connections. Errors: data_dir_unusable.
core::Status RecordSocketDir(const std::filesystem::path& data_dir,
                             const std::filesystem::path& socket_dir);
std::optional<std::filesystem::path> RecordedSocketDir(const std::filesystem::path& data_dir);

void RemoveSocketDir(const std::filesystem::path& data_dir,
                     const std::filesystem::path& socket_dir);

}  // namespace tunehub::embedded
