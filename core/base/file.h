// Open files and their bytes, folders of texts; and writing files so that a crash at any moment
// leaves the old bytes or the new ones, on disk.
#pragma once

#include <unistd.h>

#include <concepts>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace tunehub::core {

// A file descriptor that closes itself.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      Close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { Close(); }

  bool ok() const { return fd_ >= 0; }
  int get() const { return fd_; }

  void Close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

// Far above any tuned table (AITER's largest has 1.6 MB), far below what a host has.
inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 30;

struct OpenedFile {
  Fd fd;
  std::size_t size = 0;  // bytes, when it was opened; of what is no regular file 0
  bool regular = true;   // else a pipe or a terminal: what it holds is known when it ends
};

// Waits for the writer of a named pipe. Errors: file_not_found, file_unreadable, file_too_large,
// each with the path and the reason.
Result<OpenedFile> OpenFile(const std::filesystem::path& path);

Error TooLarge(const std::filesystem::path& path, std::size_t size);
Error Unreadable(const std::filesystem::path& path, int error);

// A whole file in memory, read at once.
class FileBytes {
 public:
  // Errors: file_not_found, file_unreadable, file_too_large, each with the path and the reason.
  // A pipe is read to its end, once: a second Read of it finds nothing.
  static Result<FileBytes> Read(const std::filesystem::path& path);
  // The same of one that is open; `path` stands for it in errors.
  static Result<FileBytes> Read(const std::filesystem::path& path, const OpenedFile& file);

  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  void Grow(std::size_t capacity);

  std::unique_ptr<char[]> bytes_;  // not a string: megabytes need no zeroes first
  std::size_t size_ = 0;
};

// A folder of small JSON files, on disk or compiled into the program: who reads it need not know
// which.
class TextFolder {
 public:
  // A file's name and its text.
  using Text = std::pair<std::string_view, std::string_view>;

  TextFolder() = default;
  // On disk; a path will do wherever a folder is asked for.
  template <std::convertible_to<std::filesystem::path> Path>
  TextFolder(const Path& path)  // NOLINT(google-explicit-constructor)
      : path_(path) {}
  // Compiled in: `texts` lives as long as the program. `place` stands for the folder in messages.
  TextFolder(std::string place, std::span<const Text> texts)
      : path_(std::move(place)), texts_(texts) {}

  // Of every *.json, sorted. Error no_folder: the system's reason.
  Result<std::vector<std::string>> Names() const;
  // Nothing where it cannot be read.
  std::optional<std::string> Read(const std::string& name) const;

  // For messages.
  std::string place() const { return path_.string(); }
  std::string PlaceOf(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
  std::optional<std::span<const Text>> texts_;
};

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
