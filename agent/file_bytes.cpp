#include "agent/file_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "agent/fd.h"

namespace tunehub::agent {
namespace {

core::Error Unreadable(const std::filesystem::path& path, int error) {
  return {error == ENOENT ? "file_not_found" : "file_unreadable",
          path.string() + ": " + std::generic_category().message(error)};
}

}  // namespace

core::Result<FileBytes> FileBytes::Read(const std::filesystem::path& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.ok()) return Unreadable(path, errno);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return Unreadable(path, errno);
  if (S_ISDIR(status.st_mode)) return Unreadable(path, EISDIR);
  const auto expected = static_cast<std::size_t>(status.st_size);
  if (expected > kMaxFileBytes) {
    return core::Error{"file_too_large", path.string() + ": " + std::to_string(expected) +
                                             " bytes, the limit is " +
                                             std::to_string(kMaxFileBytes)};
  }
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
