#include "core/system/open_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>
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

}  // namespace tunehub::core
