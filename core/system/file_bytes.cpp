#include "core/system/file_bytes.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tunehub::core {
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

}  // namespace tunehub::core
