// Writing files so that a crash at any moment leaves the old bytes or the new ones, on disk; and
// below a folder of ours under names that somebody else gives.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "core/base/file.h"
#include "core/base/result.h"

namespace tunehub::core {

// Writes a temporary file beside `path`, syncs it, renames it over `path`: after a crash the file
// has its old bytes or the new ones. The mode of a file that is replaced is kept. Errors:
// file_unwritable, with the path and the reason.
Status WriteAtomically(const std::filesystem::path& path, std::string_view bytes);

// Whether WriteAtomically could write `path` now; leaves nothing behind and changes nothing.
// Errors: file_unwritable.
Status TryWriting(const std::filesystem::path& path);

// The same, and the folder is synced: once it returns, the file has the new bytes, whatever
// happens.
Status WriteDurably(const std::filesystem::path& path, std::string_view bytes);

// For what can be made again: as WriteAtomically, but the disk is not waited for. A kill leaves the
// old bytes or the new ones; only a power cut within seconds may leave neither.
Status Replace(const std::filesystem::path& path, std::string_view bytes);

// rename(2) and a sync of both folders. Errors: file_unwritable.
Status RenameDurably(const std::filesystem::path& from, const std::filesystem::path& to);

// unlink(2) and a sync of the folder; a file that is not there is no error.
Status RemoveDurably(const std::filesystem::path& path);

// Makes `folder` and its parents. Errors: file_unwritable.
Status MakeFolder(const std::filesystem::path& folder);

// file_unwritable, as all of these say it.
Error Unwritable(const std::filesystem::path& path, const std::error_code& error);
Error Unwritable(const std::filesystem::path& path, int error);  // errno

Status SyncFolder(const std::filesystem::path& folder);

// The whole of `bytes` into `fd`. Errors: file_unwritable; `path` is for the message.
Status WriteAll(int fd, std::string_view bytes, const std::filesystem::path& path);
// The same, then fsync.
Status WriteAndSync(int fd, std::string_view bytes, const std::filesystem::path& path);

// Parts between slashes, of which none is empty, "." or "..", without a backslash and without
// control characters.
bool IsInnerPath(std::string_view name);

// The folder of the file `name` below `folder`; those between are made. No link below `folder` is
// followed. Errors: bad_name (no inner path), file_unwritable.
Result<Fd> FolderBelow(const std::filesystem::path& folder, const std::string& name);

// Writes the file `name` below `folder`. What has that name, a link too, is removed first, so that
// nothing is written through it. The disk is not waited for. Errors: as FolderBelow.
Status WriteBelow(const std::filesystem::path& folder, const std::string& name,
                  std::string_view bytes);

}  // namespace tunehub::core
