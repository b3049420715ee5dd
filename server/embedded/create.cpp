#include "server/embedded/create.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <vector>

#include "core/base/file.h"
#include "server/embedded/data_dir.h"

namespace tunehub::embedded {

namespace {

namespace fs = std::filesystem;

core::Status MakeEmpty(const fs::path& dir, const DatabaseUser& user) {
  std::error_code error;
  fs::remove_all(dir, error);  // left by a server that was killed in this function
  if (error) return Unusable(dir, error.value());
  const bool made = ::mkdir(dir.c_str(), 0700) == 0 && Give(dir, user);
  return made ? core::Ok() : core::Status(Unusable(dir, errno));
}

core::Status Run(const Creation& creation, std::vector<std::string> argv, std::string input = {}) {
  return RunToEnd({.argv = std::move(argv),
                   .user = creation.user,
                   .lock_fd = creation.lock_fd,
                   .log_fd = creation.log_fd,
                   .death_signal = SIGKILL,
                   .input = std::move(input)});
}

// Authentication by "trust" is safe here, because only this user and root can enter the socket's
// folder.
core::Status Initdb(const Creation& creation, const fs::path& dir) {
  std::vector<std::string> argv{creation.binaries.initdb,
                                "--pgdata",
                                dir,
                                "--username",
                                kRole,
                                "--locale=C",
                                "--encoding=UTF8",
                                "--auth=trust",
                                "--no-instructions"};
  if (!creation.sync) argv.emplace_back("--no-sync");
  return Run(creation, std::move(argv));
}

// Single-user mode needs no socket, no port and no wait.
core::Status CreateDatabase(const Creation& creation, const fs::path& dir) {
  return Run(creation,
             {creation.binaries.postgres, "--single", "-D", dir, "-c", "exit_on_error=on", "-c",
              "dynamic_shared_memory_type=mmap", "-c", creation.sync ? "fsync=on" : "fsync=off",
              "postgres"},
             fmt::format("CREATE DATABASE {};\n", kDatabase));
}

core::Status Sync(const fs::path& dir) {
  const core::Fd fd(::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.ok() || ::fsync(fd.get()) != 0) return Unusable(dir, errno);
  return core::Ok();
}

// While there are writes, PostgreSQL archives a file of 16 MB at least this often. So after the
// loss of a disk, at most the writes of this time are lost. A shorter time would need more space.
constexpr const char* kArchiveTimeout = "10min";

// Reads the first eight bytes of pg_control, which initdb wrote.
core::Result<std::uint64_t> SystemIdentifier(const fs::path& pg_dir) {
  const fs::path file = pg_dir / "global/pg_control";
  std::ifstream in(file, std::ios::binary);
  std::uint64_t identifier = 0;
  if (!in.read(reinterpret_cast<char*>(&identifier), sizeof identifier)) return Unusable(file, EIO);
  return identifier;
}

// Makes a folder that the user owns. Does not change an existing folder.
core::Status MakeOwned(const fs::path& folder, const DatabaseUser& user) {
  const bool made = ::mkdir(folder.c_str(), 0700) == 0;
  if (made ? Give(folder, user) : errno == EEXIST) return core::Ok();
  return Unusable(folder, errno);
}

}  // namespace

core::Status CreateCluster(const Creation& creation) {
  const fs::path dir = creation.data_dir / "pg.tmp";
  if (auto made = MakeEmpty(dir, creation.user); !made) return made;
  if (auto done = Initdb(creation, dir); !done) return done;
  if (auto done = CreateDatabase(creation, dir); !done) return done;
  const fs::path pg_dir = creation.data_dir / "pg";
  if (::rename(dir.c_str(), pg_dir.c_str()) != 0) return Unusable(pg_dir, errno);
  return creation.sync ? Sync(creation.data_dir) : core::Ok();
}

core::Result<std::map<std::string, std::string>> ArchiveSettings(const fs::path& folder,
                                                                 const fs::path& pg_dir,
                                                                 const DatabaseUser& user) {
  std::error_code error;
  const bool is_new = !fs::exists(folder, error);
  auto made = MakeDataDir(folder);
  if (!made.ok()) return made.error();
  // Does not change an existing folder.
  if (is_new && !Give(*made, user)) return Unusable(*made, errno);
  const auto identifier = SystemIdentifier(pg_dir);
  if (!identifier.ok()) return identifier.error();
  const fs::path archive = *made / fmt::format("{}", *identifier);
  if (const auto owned = MakeOwned(archive, user); !owned.ok()) return owned.error();
  struct stat status {};
  if (::stat(archive.c_str(), &status) != 0) return Unusable(archive, errno);
  const auto closed = FirstUnreachable(*made, user);
  if (closed || status.st_uid != user.uid) {
    return core::Error{"data_dir_unusable",
                       fmt::format("{} must be a folder that PostgreSQL's user `{}` owns and can "
                                   "enter; without a working archive, WAL would fill up pg_wal",
                                   closed ? closed->string() : archive.string(), user.name)};
  }
  return std::map<std::string, std::string>{{"archive_mode", "on"},
                                            {"archive_library", "basic_archive"},
                                            {"basic_archive.archive_directory", archive.string()},
                                            {"archive_timeout", kArchiveTimeout}};
}

}  // namespace tunehub::embedded
