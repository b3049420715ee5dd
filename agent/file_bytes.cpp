#include "agent/file_bytes.h"

#include <unistd.h>

#include <cerrno>

#include "agent/open_file.h"

namespace tunehub::agent {

core::Result<FileBytes> FileBytes::Read(const std::filesystem::path& path) {
  const auto opened = OpenFile(path);
  if (!opened.ok()) return opened.error();
  const auto& [fd, expected] = *opened;
  FileBytes file;
  file.bytes_ = std::make_unique_for_overwrite<char[]>(expected);
  while (file.size_ < expected) {
    const ssize_t got = ::read(fd.get(), file.bytes_.get() + file.size_, expected - file.size_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Unreadable(path, errno);
    if (got == 0) break;  // it shrank meanwhile
    file.size_ += static_cast<std::size_t>(got);
  }
  return file;
}

}  // namespace tunehub::agent
