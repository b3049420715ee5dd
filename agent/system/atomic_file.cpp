#include "agent/system/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>

#include "agent/system/writeback.h"
#include "core/system/fd.h"

namespace tunehub::agent {
namespace {

constexpr mode_t kNewFileMode = 0644;

core::Error Unwritable(const std::filesystem::path& path, int error) {
  return {"file_unwritable", path.string() + ": " + std::generic_category().message(error)};
}

std::filesystem::path FolderOf(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

mode_t ModeFor(const std::filesystem::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? (status.st_mode & 07777) : kNewFileMode;
}

core::Status Write(int fd, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return Unwritable(path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return core::Ok();
}

core::Status Sync(int fd, const std::filesystem::path& path) {
  return ::fsync(fd) == 0 ? core::Ok() : Unwritable(path, errno);
}

// The pid keeps two writers of one file apart; a dot keeps globs away from it.
std::filesystem::path TemporaryFor(const std::filesystem::path& path) {
  return FolderOf(path) /
         ("." + path.filename().string() + "." + std::to_string(::getpid()) + ".tmp");
}

using Fill = std::function<core::Status(int fd)>;

// `fill` writes the temporary file that then takes the place of `path`.
core::Status ReplaceWith(const std::filesystem::path& path, const Fill& fill) {
  const std::filesystem::path temporary = TemporaryFor(path);
  core::Status status = core::Ok();
  {
    const core::Fd fd(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kNewFileMode));
    if (!fd.ok()) return Unwritable(path, errno);
    status = fill(fd.get());
    if (status.ok() && ::fchmod(fd.get(), ModeFor(path)) != 0) status = Unwritable(path, errno);
  }
  if (status.ok() && ::rename(temporary.c_str(), path.c_str()) != 0) {
    status = Unwritable(path, errno);
  }
  if (!status.ok()) ::unlink(temporary.c_str());
  return status;
}

}  // namespace

core::Status WriteAndSync(int fd, std::string_view bytes, const std::filesystem::path& path) {
  if (core::Status status = Write(fd, bytes, path); !status.ok()) return status;
  return Sync(fd, path);
}

core::Status SyncFolder(const std::filesystem::path& folder) {
  const core::Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.ok() || ::fsync(fd.get()) != 0) return Unwritable(folder, errno);
  return core::Ok();
}

core::Status TryWriting(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return Unwritable(path, EISDIR);
  const std::filesystem::path temporary = TemporaryFor(path);
  const core::Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kNewFileMode));
  if (!fd.ok()) return Unwritable(path, errno);
  ::unlink(temporary.c_str());
  return core::Ok();
}

core::Status WriteAtomically(const std::filesystem::path& path, std::string_view bytes) {
  return ReplaceWith(path, [&](int fd) { return WriteAndSync(fd, bytes, path); });
}

core::Status Replace(const std::filesystem::path& path,
                     const std::function<core::Status(const BlockWriter&)>& produce) {
  return ReplaceWith(path, [&](int fd) {
    Writeback writeback(fd);  // or the rename over an old file does all of it (ext4)
    std::int64_t bytes = 0;
    return produce([&](std::string_view block) {
      core::Status written = Write(fd, block, path);
      writeback.Reached(bytes += static_cast<std::int64_t>(block.size()));
      return written;
    });
  });
}

core::Status WriteDurably(const std::filesystem::path& path, std::string_view bytes) {
  if (core::Status status = WriteAtomically(path, bytes); !status.ok()) return status;
  return SyncFolder(FolderOf(path));
}

core::Status RenameDurably(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return Unwritable(to, errno);
  if (core::Status status = SyncFolder(FolderOf(to)); !status.ok()) return status;
  return SyncFolder(FolderOf(from));
}

core::Status RemoveDurably(const std::filesystem::path& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return Unwritable(path, errno);
  return SyncFolder(FolderOf(path));
}

core::Status MakeFolder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  return error ? core::Status(Unwritable(folder, error.value())) : core::Ok();
}

}  // namespace tunehub::agent
