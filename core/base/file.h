// Open files and their bytes, and folders of texts.
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

}  // namespace tunehub::core
