#include "server/embedded/data_dir.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace tunehub::embedded {

namespace fs = std::filesystem;

core::Error Unusable(const fs::path& path, int error_number) {
  return {"data_dir_unusable",
          fmt::format("{}: {}", path.string(), std::generic_category().message(error_number))};
}

core::Result<fs::path> MakeDataDir(const fs::path& data_dir) {
  std::error_code error;
  const fs::path path = fs::weakly_canonical(fs::absolute(data_dir), error);
  if (error) return Unusable(data_dir, error.value());
  // A root server's PostgreSQL is another user, who must be able to pass, whatever the umask is.
  const mode_t mode = ::geteuid() == 0 ? 0755 : 0750;
  fs::path so_far;
  for (const auto& part : path) {
    so_far /= part;
    if (::mkdir(so_far.c_str(), mode) == 0) {
      ::chmod(so_far.c_str(), mode);
    } else if (errno != EEXIST && !fs::is_directory(so_far, error)) {
      return Unusable(so_far, errno);
    }
  }
  if (!fs::is_directory(path, error)) return Unusable(path, ENOTDIR);
  if (::access(path.c_str(), R_OK | W_OK | X_OK) != 0) return Unusable(path, errno);
  return path;
}

}  // namespace tunehub::embedded
