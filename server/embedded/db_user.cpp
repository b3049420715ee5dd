#include "server/embedded/db_user.h"

#include <fmt/core.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/process.h"

namespace tunehub::embedded {
namespace {

namespace fs = std::filesystem;

constexpr size_t kPasswdBufferBytes = 16 * 1024;
constexpr int kGroupsMax = 256;

DatabaseUser FromPasswd(const passwd& entry) {
  DatabaseUser user{entry.pw_uid, entry.pw_gid, {}, entry.pw_name, entry.pw_dir, true};
  user.groups.resize(kGroupsMax);
  int count = kGroupsMax;
  if (::getgrouplist(entry.pw_name, entry.pw_gid, user.groups.data(), &count) < 0) {
    count = 1;
    user.groups[0] = entry.pw_gid;
  }
  user.groups.resize(static_cast<size_t>(count));
  return user;
}

// `ask`: getpwnam_r or getpwuid_r.
template <typename Id>
std::optional<DatabaseUser> FindUser(int (*ask)(Id, passwd*, char*, size_t, passwd**), Id id) {
  std::vector<char> buffer(kPasswdBufferBytes);
  passwd entry{};
  passwd* found = nullptr;
  ask(id, &entry, buffer.data(), buffer.size(), &found);
  if (found == nullptr) return std::nullopt;
  return FromPasswd(entry);
}

core::Result<DatabaseUser> OwnerOfCluster(const fs::path& pg_dir, uid_t owner) {
  if (owner == 0) {
    return core::Error{"data_dir_unusable",
                       fmt::format("{0} belongs to root, but PostgreSQL does not run as root. Give "
                                   "the folder to another user: chown -R postgres: {0}",
                                   pg_dir.string())};
  }
  if (auto user = UserOf(owner)) return *std::move(user);
  return core::Error{
      "data_dir_unusable",
      fmt::format("{} belongs to user {}, who is unknown to this system", pg_dir.string(), owner)};
}

core::Result<DatabaseUser> UserPostgres() {
  auto user = UserNamed("postgres");
  if (user.ok() && user->uid != 0) return user;
  return core::Error{"postgres_missing",
                     "PostgreSQL does not run as root, and this system has no user `postgres`. "
                     "Install the package postgresql, or start the server as another user"};
}

}  // namespace

core::Result<DatabaseUser> ChooseDatabaseUser(const fs::path& pg_dir) {
  struct stat info {};
  const bool exists = ::stat(pg_dir.c_str(), &info) == 0;
  if (::geteuid() == 0) return exists ? OwnerOfCluster(pg_dir, info.st_uid) : UserPostgres();
  if (exists && info.st_uid != ::geteuid()) {
    return core::Error{"data_dir_unusable",
                       fmt::format("{} belongs to user {}, but this server runs as user {}",
                                   pg_dir.string(), info.st_uid, ::geteuid())};
  }
  return DatabaseUser{::geteuid(), ::getegid(), {}, "", "", false};
}

core::Result<DatabaseUser> UserNamed(const std::string& name) {
  if (auto user = FindUser(::getpwnam_r, name.c_str())) return *std::move(user);
  return core::Error{"unknown_user", fmt::format("this system has no user `{}`", name)};
}

std::optional<DatabaseUser> UserOf(uid_t uid) {
  return FindUser(::getpwuid_r, uid);
}

std::optional<DatabaseUser> OwnerOf(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return UserOf(info.st_uid);
}

bool Give(const fs::path& path, const DatabaseUser& user) {
  return !user.switched || ::lchown(path.c_str(), user.uid, user.gid) == 0;
}

bool BecomeUser(const DatabaseUser& user) {
  if (!user.switched) return true;
  return ::setgroups(user.groups.size(), user.groups.data()) == 0 && ::setgid(user.gid) == 0 &&
         ::setuid(user.uid) == 0;
}

std::optional<fs::path> FirstUnreachable(const fs::path& path, const DatabaseUser& user) {
  std::vector<fs::path> way;
  fs::path so_far;
  for (const auto& part : path) way.push_back(so_far /= part);

  // A child process tries this as that user, because mode bits do not show groups, ACLs and mount
  // options.
  const pid_t child = ::fork();
  if (child < 0) return std::nullopt;  // the start of PostgreSQL will fail with the same reason
  if (child == 0) {
    if (!BecomeUser(user)) ::_exit(0);
    for (size_t i = 0; i < way.size(); ++i) {
      if (::access(way[i].c_str(), X_OK) != 0) ::_exit(static_cast<int>(i) + 1);
    }
    ::_exit(0);
  }
  const int status = core::WaitFor(child).value_or(0);
  const size_t index = WIFEXITED(status) ? static_cast<size_t>(WEXITSTATUS(status)) : 0;
  if (index == 0 || index > way.size()) return std::nullopt;
  return way[index - 1];
}

}  // namespace tunehub::embedded
