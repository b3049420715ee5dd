#include "server/embedded/wal_archive.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <fstream>

#include "server/embedded/data_dir.h"

namespace tunehub::embedded {
namespace {

namespace fs = std::filesystem;

// A file of 16 MB is kept at least so often while anything is written: what a lost disk may cost in
// time, against what the archive costs in room.
constexpr const char* kArchiveTimeout = "10min";

// The first eight bytes of pg_control, made by initdb.
core::Result<std::uint64_t> SystemIdentifier(const fs::path& pg_dir) {
  const fs::path file = pg_dir / "global/pg_control";
  std::ifstream in(file, std::ios::binary);
  std::uint64_t identifier = 0;
  if (!in.read(reinterpret_cast<char*>(&identifier), sizeof identifier)) return Unusable(file, EIO);
  return identifier;
}

// A folder that the user owns. One that is there already is as its administrator wants it.
core::Status MakeOwned(const fs::path& folder, const DatabaseUser& user) {
  if (::mkdir(folder.c_str(), 0700) != 0) {
    if (errno == EEXIST) return core::Ok();
    return Unusable(folder, errno);
  }
  if (user.switched && ::lchown(folder.c_str(), user.uid, user.gid) != 0)
    return Unusable(folder, errno);
  return core::Ok();
}

}  // namespace

core::Result<std::map<std::string, std::string>> ArchiveSettings(const fs::path& folder,
                                                                 const fs::path& pg_dir,
                                                                 const DatabaseUser& user) {
  std::error_code error;
  const bool is_new = !fs::exists(folder, error);
  auto made = MakeDataDir(folder);
  if (!made.ok()) return made.error();
  // Of a folder that is there its administrator has decided.
  if (is_new && user.switched && ::lchown(made->c_str(), user.uid, user.gid) != 0)
    return Unusable(*made, errno);
  const auto identifier = SystemIdentifier(pg_dir);
  if (!identifier.ok()) return identifier.error();
  const fs::path archive = *made / fmt::format("{}", *identifier);
  if (const auto owned = MakeOwned(archive, user); !owned.ok()) return owned.error();
  struct stat status {};
  if (::stat(archive.c_str(), &status) != 0) return Unusable(archive, errno);
  const auto closed = FirstUnreachable(*made, user);
  if (closed || status.st_uid != user.uid) {
    return core::Error{
        "data_dir_unusable",
        fmt::format("{} is not a folder that the user `{}`, which PostgreSQL runs as, can "
                    "enter and owns: the archive of its WAL would only fill up pg_wal",
                    closed ? closed->string() : archive.string(), user.name)};
  }
  return std::map<std::string, std::string>{{"archive_mode", "on"},
                                            {"archive_library", "basic_archive"},
                                            {"basic_archive.archive_directory", archive.string()},
                                            {"archive_timeout", kArchiveTimeout}};
}

}  // namespace tunehub::embedded
