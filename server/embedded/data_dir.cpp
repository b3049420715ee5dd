#include "server/embedded/data_dir.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace tunehub::embedded {

namespace fs = std::filesystem;

core::Error Unusable(const fs::path& path, int error_number) {
  return {"data_dir_unusable",
          fmt::format("{}: {}", path.string(), std::generic_category().message(error_number))};
}

namespace {

core::Error CannotMake(const fs::path& dir, const fs::path& part, int error_number) {
  return {
      "data_dir_unusable",
      fmt::format("{}: cannot be made or used, because of {} ({}). Run `install -d -o USER {}` for "
                  "the server's user, or name another",
                  dir.string(), part.string(), std::generic_category().message(error_number),
                  dir.string())};
}

}  // namespace

core::Result<fs::path> MakeDataDir(const fs::path& data_dir) {
  std::error_code error;
  const fs::path path = fs::weakly_canonical(fs::absolute(data_dir), error);
  if (error) return CannotMake(data_dir, data_dir.parent_path(), error.value());
  // A root server runs PostgreSQL as another user, who must enter DIR. So the umask must not
  // matter.
  const mode_t mode = ::geteuid() == 0 ? 0755 : 0750;
  fs::path so_far;
  for (const auto& part : path) {
    so_far /= part;
    if (::mkdir(so_far.c_str(), mode) == 0) {
      ::chmod(so_far.c_str(), mode);
      continue;
    }
    const int why = errno;  // is_directory changes errno
    if (why == EEXIST || fs::is_directory(so_far, error)) continue;
    // A folder that cannot be made is named by the folder in which nobody may write.
    const bool closed = why == EACCES || why == EPERM || why == EROFS;
    return CannotMake(path, closed ? so_far.parent_path() : so_far, why);
  }
  if (!fs::is_directory(path, error)) return CannotMake(path, path, ENOTDIR);
  if (::access(path.c_str(), R_OK | W_OK | X_OK) != 0) return CannotMake(path, path, errno);
  return path;
}

core::Status GiveNewFile(const core::Fd& fd, const fs::path& path) {
  struct stat file {
  }, folder{};
  if (::geteuid() != 0) return core::Ok();
  if (::fstat(fd.get(), &file) != 0) return Unusable(path, errno);
  if (::stat(path.parent_path().c_str(), &folder) != 0) return Unusable(path.parent_path(), errno);
  const bool is_ours = S_ISREG(file.st_mode) && file.st_uid == 0 && file.st_nlink == 1;
  if (!is_ours || folder.st_uid == 0) return core::Ok();
  if (::fchown(fd.get(), folder.st_uid, folder.st_gid) != 0) return Unusable(path, errno);
  return core::Ok();
}

namespace {

// Names that only a server's folder has. deploy/up makes the log first.
constexpr const char* kSignsOfAServer[] = {"pg", "server.lock", "server.log", "signing_key"};
constexpr const char* kFilesOfTheServer[] = {"server.lock", "pg.lock",   "pg.log",
                                             "pg.log.1",    "pg.socket", "signing_key"};

bool IsForAServer(const fs::path& dir) {
  std::error_code error;
  if (fs::is_empty(dir, error)) return true;
  for (const char* name : kSignsOfAServer) {
    if (fs::exists(dir / name, error)) return true;
  }
  return false;
}

core::Error NotToBeGiven(const fs::path& dir, const DatabaseUser& user, const char* why) {
  return {"data_dir_unusable",
          fmt::format("{0} belongs to root and {1}, so the server does not give this folder to its "
                      "user `{2}`. Choose a folder for the server alone, or run chown {2} {0}",
                      dir.string(), why, user.name)};
}

constexpr const char* kRecord = "pg.socket";
constexpr const char* kPrefix = "tunehub-pg-";
constexpr const char* kSocket = ".s.PGSQL.5432";
constexpr size_t kSocketPathBytesMax = 107;  // sockaddr_un

std::vector<fs::path> Bases() {
  std::vector<fs::path> bases;
  if (::geteuid() == 0) {
    bases.emplace_back("/run");
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here changes the environment
  } else if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime != nullptr) {
    bases.emplace_back(runtime);
  }
  bases.emplace_back("/tmp");
  return bases;
}

void RemoveSockets(const fs::path& dir) {
  ::unlink((dir / kSocket).c_str());
  ::unlink((dir / (std::string(kSocket) + ".lock")).c_str());
}

bool StillOurs(const fs::path& dir, const DatabaseUser& user) {
  const auto bases = Bases();
  if (std::find(bases.begin(), bases.end(), dir.parent_path()) == bases.end()) return false;
  if (!dir.filename().string().starts_with(kPrefix)) return false;
  struct stat info {};
  // lstat, because in /tmp anybody could have made the folder a link.
  return ::lstat(dir.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == user.uid &&
         (info.st_mode & 077) == 0;
}

std::optional<fs::path> MakeIn(const fs::path& base, const DatabaseUser& user) {
  std::string name = (base / (std::string(kPrefix) + "XXXXXX")).string();
  if (name.size() + 1 + std::strlen(kSocket) > kSocketPathBytesMax) {
    errno = ENAMETOOLONG;
    return std::nullopt;
  }
  if (::mkdtemp(name.data()) == nullptr) return std::nullopt;
  if (!Give(name, user)) return std::nullopt;
  return fs::path(name);
}

// Returns the earlier folder. Makes it again if something removed it.
core::Result<fs::path> Again(const fs::path& dir, const DatabaseUser& user) {
  const bool made = ::mkdir(dir.c_str(), 0700) == 0;
  if (made && !Give(dir, user)) return Unusable(dir, errno);
  if (!StillOurs(dir, user)) {
    return core::Error{"data_dir_unusable",
                       fmt::format("{}, the folder of PostgreSQL's socket, cannot be used again, "
                                   "because it belongs to another user or cannot be created",
                                   dir.string())};
  }
  RemoveSockets(dir);
  return dir;
}

}  // namespace

core::Status GiveDataDir(const fs::path& data_dir, const DatabaseUser& user) {
  std::error_code error;
  const bool is_new = !fs::exists(data_dir, error);
  const auto dir = MakeDataDir(data_dir);
  if (!dir) return dir.error();
  struct stat info {};
  if (::lstat(dir->c_str(), &info) != 0) return Unusable(*dir, errno);
  if (info.st_uid != 0) return core::Ok();
  // If others may write into DIR, somebody may have put links into it.
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return NotToBeGiven(*dir, user, "other users may write into it");
  }
  if (!is_new && !IsForAServer(*dir)) return NotToBeGiven(*dir, user, "contains other files");
  for (const char* name : kFilesOfTheServer) {
    const fs::path file = *dir / name;
    if (::lchown(file.c_str(), user.uid, user.gid) != 0 && errno != ENOENT) {
      return Unusable(file, errno);
    }
  }
  if (is_new && ::chmod(dir->c_str(), 0750) != 0) return Unusable(*dir, errno);
  if (::lchown(dir->c_str(), user.uid, user.gid) != 0) return Unusable(*dir, errno);
  return core::Ok();
}

core::Result<fs::path> PrepareSocketDir(const fs::path& data_dir, const DatabaseUser& user,
                                        const fs::path& known) {
  if (!known.empty()) {
    ::unlink((data_dir / kRecord).c_str());
    return Again(known, user);
  }
  const auto recorded = RecordedSocketDir(data_dir);
  ::unlink((data_dir / kRecord).c_str());  // nobody answers there until PostgreSQL is ready
  if (recorded && StillOurs(*recorded, user)) {
    RemoveSockets(*recorded);
    return *recorded;
  }
  std::string reasons;
  for (const auto& base : Bases()) {
    const auto made = MakeIn(base, user);
    if (made) return *made;
    const int error = errno;
    reasons += fmt::format(" {} ({})", base.string(), std::generic_category().message(error));
  }
  return core::Error{"data_dir_unusable",
                     "found no folder for PostgreSQL's socket; tried:" + reasons};
}

core::Status RecordSocketDir(const fs::path& data_dir, const fs::path& socket_dir) {
  const fs::path record = data_dir / kRecord;
  std::ofstream file(record, std::ios::trunc);
  file << socket_dir.string() << '\n';
  file.close();
  if (file) return core::Ok();
  return core::Error{"data_dir_unusable", record.string() + ": cannot be written"};
}

std::optional<fs::path> RecordedSocketDir(const fs::path& data_dir) {
  std::ifstream file(data_dir / kRecord);
  std::string line;
  if (!std::getline(file, line) || line.empty()) return std::nullopt;
  return fs::path(line);
}

void RemoveSocketDir(const fs::path& data_dir, const fs::path& socket_dir) {
  RemoveSockets(socket_dir);
  ::rmdir(socket_dir.c_str());
  ::unlink((data_dir / kRecord).c_str());
}

}  // namespace tunehub::embedded
