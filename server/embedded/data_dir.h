// DIR itself.
#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/system/fd.h"

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

struct DatabaseUser;

// For a server that is root until now: makes DIR, and gives it to `user` where it is root's, with
// the files that root's commands left in it; a folder of somebody else's is left alone.
// Refused where DIR holds other things: it may be one of the system's. Errors: data_dir_unusable.
core::Status GiveDataDir(const std::filesystem::path& data_dir, const DatabaseUser& user);

}  // namespace tunehub::embedded
