#include "core/base/file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>

#include "core/base/text.h"

namespace tunehub::core {

Error Unreadable(const std::filesystem::path& path, int error) {
  return {error == ENOENT ? "file_not_found" : "file_unreadable",
          path.string() + ": " +
              (error == EISDIR ? "is a folder; expected a file"
                               : std::generic_category().message(error))};
}

Error TooLarge(const std::filesystem::path& path, std::size_t size) {
  return {"file_too_large",
          fmt::format("{}: has {} bytes; the limit is {}", path.string(), size, kMaxFileBytes)};
}

Result<OpenedFile> OpenFile(const std::filesystem::path& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.ok()) return Unreadable(path, errno);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return Unreadable(path, errno);
  if (S_ISDIR(status.st_mode)) return Unreadable(path, EISDIR);
  if (!S_ISREG(status.st_mode)) return OpenedFile{std::move(fd), 0, false};
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > kMaxFileBytes) return TooLarge(path, size);
  return OpenedFile{std::move(fd), size, true};
}

namespace {

// The first buffer for a pipe has the default capacity of a Linux pipe.
constexpr std::size_t kFirstPipeBytes = std::size_t{64} << 10;

constexpr mode_t kNewFileMode = 0644, kFolderMode = 0777;

std::filesystem::path FolderOf(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

mode_t ModeFor(const std::filesystem::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? (status.st_mode & 07777) : kNewFileMode;
}

Status Sync(int fd, const std::filesystem::path& path) {
  return ::fsync(fd) == 0 ? Ok() : Unwritable(path, errno);
}

// The pid separates two writers of one file. The dot hides the file from globs.
std::filesystem::path TemporaryFor(const std::filesystem::path& path) {
  return FolderOf(path) / fmt::format(".{}.{}.tmp", path.filename().string(), ::getpid());
}

using Fill = std::function<Status(int fd)>;

// Lets `fill` write a temporary file, then renames that file to `path`.
Status ReplaceWith(const std::filesystem::path& path, const Fill& fill) {
  const std::filesystem::path temporary = TemporaryFor(path);
  Status status = Ok();
  {
    const Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kNewFileMode));
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

Result<FileBytes> FileBytes::Read(const std::filesystem::path& path) {
  const auto opened = OpenFile(path);
  if (!opened.ok()) return opened.error();
  return Read(path, *opened);
}

Result<FileBytes> FileBytes::Read(const std::filesystem::path& path, const OpenedFile& from) {
  std::size_t capacity = from.regular ? from.size : kFirstPipeBytes;
  FileBytes file;
  file.Grow(capacity);
  for (;;) {
    if (file.size_ == capacity && from.regular) return file;
    if (file.size_ == capacity) file.Grow(capacity *= 2);
    const ssize_t got =
        ::read(from.fd.get(), file.bytes_.get() + file.size_, capacity - file.size_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Unreadable(path, errno);
    if (got == 0) return file;  // the pipe ended, or the file shrank meanwhile
    file.size_ += static_cast<std::size_t>(got);
    if (file.size_ > kMaxFileBytes) return TooLarge(path, file.size_);
  }
}

void FileBytes::Grow(std::size_t capacity) {
  auto larger = std::make_unique_for_overwrite<char[]>(capacity);
  if (size_ > 0) std::memcpy(larger.get(), bytes_.get(), size_);
  bytes_ = std::move(larger);
}

Result<std::vector<std::string>> TextFolder::Names() const {
  std::vector<std::string> names;
  if (texts_) {
    for (const Text& text : *texts_) names.emplace_back(text.first);
    std::ranges::sort(names);
    return names;
  }
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(path_, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == ".json") names.push_back(entry->path().filename().string());
  }
  if (error) return Error{"no_folder", path_.string() + ": " + error.message()};
  std::ranges::sort(names);
  return names;
}

std::optional<std::string> TextFolder::Read(const std::string& name) const {
  if (texts_) {
    const auto found = std::ranges::find(*texts_, name, &Text::first);
    return found == texts_->end() ? std::nullopt : std::optional<std::string>(found->second);
  }
  std::ifstream in(path_ / name, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return in ? std::optional(std::move(text)) : std::nullopt;
}

Error Unwritable(const std::filesystem::path& path, const std::error_code& error) {
  std::string why = error.message();
  if (error == std::errc::is_a_directory) why = "is a folder; expected a file";
  if (error == std::errc::no_such_file_or_directory) why = "its folder does not exist";
  return {"file_unwritable", path.string() + ": " + why};
}

Error Unwritable(const std::filesystem::path& path, int error) {
  return Unwritable(path, std::error_code(error, std::generic_category()));
}

Status WriteAll(int fd, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return Unwritable(path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return Ok();
}

Status WriteAndSync(int fd, std::string_view bytes, const std::filesystem::path& path) {
  if (Status status = WriteAll(fd, bytes, path); !status.ok()) return status;
  return Sync(fd, path);
}

Status SyncFolder(const std::filesystem::path& folder) {
  const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.ok() || ::fsync(fd.get()) != 0) return Unwritable(folder, errno);
  return Ok();
}

Status TryWriting(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return Unwritable(path, EISDIR);
  const std::filesystem::path temporary = TemporaryFor(path);
  const Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kNewFileMode));
  if (!fd.ok()) return Unwritable(path, errno);
  ::unlink(temporary.c_str());
  return Ok();
}

Status WriteAtomically(const std::filesystem::path& path, std::string_view bytes) {
  return ReplaceWith(path, [&](int fd) { return WriteAndSync(fd, bytes, path); });
}

Status Replace(const std::filesystem::path& path, std::string_view bytes) {
  return ReplaceWith(path, [&](int fd) { return WriteAll(fd, bytes, path); });
}

Status WriteDurably(const std::filesystem::path& path, std::string_view bytes) {
  if (Status status = WriteAtomically(path, bytes); !status.ok()) return status;
  return SyncFolder(FolderOf(path));
}

Status RenameDurably(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return Unwritable(to, errno);
  if (Status status = SyncFolder(FolderOf(to)); !status.ok()) return status;
  return SyncFolder(FolderOf(from));
}

Status RemoveDurably(const std::filesystem::path& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return Unwritable(path, errno);
  return SyncFolder(FolderOf(path));
}

Status MakeFolder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  return error ? Status(Unwritable(folder, error)) : Ok();
}

bool IsInnerPath(std::string_view name) {
  if (std::ranges::any_of(name, [](char c) { return c == '\\' || IsControl(c); })) return false;
  return std::ranges::none_of(SplitAt(name, "/"), [](std::string_view part) {
    return part.empty() || part == "." || part == "..";
  });
}

// Opens the path part by part, because O_NOFOLLOW checks only the last part.
Result<Fd> FolderBelow(const std::filesystem::path& folder, const std::string& name) {
  if (!IsInnerPath(name)) {
    return Error{"bad_name", fmt::format("'{}' is not allowed as a file's name in {}",
                                         Excerpt(name), folder.string())};
  }
  Fd at(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::size_t begin = 0, end = 0;
  for (; at.ok() && (end = name.find('/', begin)) != std::string::npos; begin = end + 1) {
    const std::string part = name.substr(begin, end - begin);
    if (::mkdirat(at.get(), part.c_str(), kFolderMode) != 0 && errno != EEXIST) break;
    at = Fd(::openat(at.get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  if (!at.ok() || end != std::string::npos) return Unwritable(folder / name, errno);
  return at;
}

Status WriteBelow(const std::filesystem::path& folder, const std::string& name,
                  std::string_view bytes) {
  const auto at = FolderBelow(folder, name);
  if (!at.ok()) return at.error();
  const std::string last(BaseName(name));
  if (::unlinkat(at->get(), last.c_str(), 0) != 0 && errno != ENOENT) {
    return Unwritable(folder / name, errno);
  }
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const Fd file(::openat(at->get(), last.c_str(), flags, kNewFileMode));
  if (!file.ok()) return Unwritable(folder / name, errno);
  return WriteAll(file.get(), bytes, folder / name);
}

}  // namespace tunehub::core
