#include "core/base/file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace tunehub::core {

Error Unreadable(const std::filesystem::path& path, int error) {
  return {error == ENOENT ? "file_not_found" : "file_unreadable",
          path.string() + ": " + std::generic_category().message(error)};
}

Error TooLarge(const std::filesystem::path& path, std::size_t size) {
  return {"file_too_large",
          fmt::format("{}: {} bytes, the limit is {}", path.string(), size, kMaxFileBytes)};
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

// What a pipe is taken to hold before it is read: as much as Linux lets wait in one.
constexpr std::size_t kFirstPipeBytes = std::size_t{64} << 10;

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
    if (got == 0) return file;  // a pipe's end; or it shrank meanwhile
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

}  // namespace tunehub::core
