// Reads files and folders. Writes files so that a crash leaves either the old bytes or the new
// ones.
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

// The limit is far above any tuned table (AITER's largest: 1.6 MB) and far below a host's memory.
inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 30;

struct OpenedFile {
  Fd fd;
  std::size_t size = 0;  // its size in bytes when opened; 0 if it is not a regular file
  bool regular = true;   // false: a pipe or a terminal, whose size is unknown until its end
};

// Opens a file for reading. For a named pipe, waits until a writer opens it. Errors:
// file_not_found, file_unreadable, file_too_large, each with the path and the reason.
Result<OpenedFile> OpenFile(const std::filesystem::path& path);

Error TooLarge(const std::filesystem::path& path, std::size_t size);
Error Unreadable(const std::filesystem::path& path, int error);

// A whole file in memory.
class FileBytes {
 public:
  // Reads a pipe to its end, so a second Read of the pipe returns no bytes. Errors: file_not_found,
  // file_unreadable, file_too_large, each with the path and the reason.
  static Result<FileBytes> Read(const std::filesystem::path& path);
  // Reads an open file. Errors name `path`.
  static Result<FileBytes> Read(const std::filesystem::path& path, const OpenedFile& file);

  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  void Grow(std::size_t capacity);

  std::unique_ptr<char[]> bytes_;  // not a string: a string would first set all bytes to zero
  std::size_t size_ = 0;
};

// A folder of small JSON files, on disk or compiled into the program.
class TextFolder {
 public:
  // A file's name and its text.
  using Text = std::pair<std::string_view, std::string_view>;

  TextFolder() = default;
  // A folder on disk. The constructor is implicit so that callers can pass a path as a folder.
  template <std::convertible_to<std::filesystem::path> Path>
  TextFolder(const Path& path)  // NOLINT(google-explicit-constructor)
      : path_(path) {}
  // A folder compiled into the program. `texts` must live as long as the program. Messages name the
  // folder `place`.
  TextFolder(std::string place, std::span<const Text> texts)
      : path_(std::move(place)), texts_(texts) {}

  // The names of all *.json files, sorted. Errors: no_folder, with the system's reason.
  Result<std::vector<std::string>> Names() const;
  // nullopt if the file cannot be read.
  std::optional<std::string> Read(const std::string& name) const;

  // The folder's name, for messages.
  std::string place() const { return path_.string(); }
  std::string PlaceOf(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
  std::optional<std::span<const Text>> texts_;
};

// Writes a temporary file beside `path`, syncs it, and renames it to `path`. After a crash the file
// has either its old bytes or the new ones. A replaced file keeps its mode. Errors:
// file_unwritable, with the path and the reason.
Status WriteAtomically(const std::filesystem::path& path, std::string_view bytes);

// Tests whether WriteAtomically could write `path` now; changes nothing. Errors: file_unwritable.
Status TryWriting(const std::filesystem::path& path);

// Does the same as WriteAtomically, then syncs the folder. After the return, no crash loses the new
// bytes.
Status WriteDurably(const std::filesystem::path& path, std::string_view bytes);

// Does the same as WriteAtomically, but without a sync. Use it for files that the program can make
// again. A kill leaves either the old bytes or the new ones. A power cut within seconds may lose
// both.
Status Replace(const std::filesystem::path& path, std::string_view bytes);

// rename(2) and a sync of both folders. Errors: file_unwritable.
Status RenameDurably(const std::filesystem::path& from, const std::filesystem::path& to);

// unlink(2) and a sync of the folder; a missing file is no error.
Status RemoveDurably(const std::filesystem::path& path);

// Makes `folder` and its missing parents. Errors: file_unwritable.
Status MakeFolder(const std::filesystem::path& folder);

// Returns the error file_unwritable that the functions here report.
Error Unwritable(const std::filesystem::path& path, const std::error_code& error);
Error Unwritable(const std::filesystem::path& path, int error);  // errno

Status SyncFolder(const std::filesystem::path& folder);

// Writes all of `bytes` to `fd`. Errors: file_unwritable; the message names `path`.
Status WriteAll(int fd, std::string_view bytes, const std::filesystem::path& path);
// Does the same as WriteAll, then calls fsync.
Status WriteAndSync(int fd, std::string_view bytes, const std::filesystem::path& path);

// True if no part between slashes is empty, "." or "..", or contains a backslash or a control
// character.
bool IsInnerPath(std::string_view name);

// Makes and opens the folder of the file `name` below `folder`. Follows no link below `folder`.
// Errors: bad_name (`name` is not an inner path), file_unwritable.
Result<Fd> FolderBelow(const std::filesystem::path& folder, const std::string& name);

// Writes the file `name` below `folder`, without a sync. First removes an existing file or link of
// that name, so that it never writes through a link. Errors: as FolderBelow.
Status WriteBelow(const std::filesystem::path& folder, const std::string& name,
                  std::string_view bytes);

}  // namespace tunehub::core
