#include "server/leave_root.h"

#include <fmt/core.h>
#include <linux/capability.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "server/embedded/data_dir.h"

namespace tunehub::server {
namespace {

namespace fs = std::filesystem;
using embedded::DatabaseUser;

constexpr const char* kUsualUser = "postgres";
constexpr unsigned short kFirstFreePort = 1024;  // lower ports need a privilege

// The name of this process's user, for messages.
std::string OwnName() {
  const auto own = embedded::UserOf(::geteuid());
  return own ? own->name : std::to_string(::geteuid());
}

core::Status StayWhoOneIs(const std::string& name) {
  if (name.empty()) return core::Ok();
  const auto user = embedded::UserNamed(name);
  if (!user.ok()) return user.error();
  if (user->uid == ::geteuid()) return core::Ok();
  return core::Error{"bad_setting", fmt::format("user: '{}': only a server that root starts can "
                                                "run as another user; this server runs as `{}`",
                                                name, OwnName())};
}

core::Result<DatabaseUser> ChooseUser(const Settings& settings) {
  if (!settings.user.empty()) return embedded::UserNamed(settings.user);
  if (settings.database.empty()) {
    for (const fs::path& path : {settings.data / "pg", settings.data}) {
      if (auto owner = embedded::OwnerOf(path); owner && owner->uid != 0) return *std::move(owner);
    }
  }
  if (auto usual = embedded::UserNamed(kUsualUser); usual.ok()) return usual;
  return core::Error{
      "no_user", fmt::format("the server does not run as root, and this system has no user `{}`. "
                             "Name another user (--user NAME), or give the data folder to a user",
                             kUsualUser)};
}

// Makes a private folder for PostgreSQL's socket. /tmp is open to everybody and not always
// writable. Returns "" on failure.
std::string MakeRuntimeDir(const DatabaseUser& user) {
  std::string dir = fmt::format("/run/tunehub-{}", user.uid);
  if (::mkdir(dir.c_str(), 0700) == 0 && ::lchown(dir.c_str(), user.uid, user.gid) == 0) return dir;
  struct stat info {};
  const bool is_theirs = ::lstat(dir.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
                         info.st_uid == user.uid && (info.st_mode & 077) == 0;
  return is_theirs ? dir : "";
}

// Replaces the variables that name root's own folders, which this process can no longer enter. For
// example, libpq looks for certificates below HOME.
void SetEnvironment(const DatabaseUser& user, const std::string& runtime_dir) {
  ::setenv("HOME", user.home.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  ::unsetenv("XDG_RUNTIME_DIR");           // NOLINT(concurrency-mt-unsafe)
  if (runtime_dir.empty()) return;
  ::setenv("XDG_RUNTIME_DIR", runtime_dir.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
}

bool KeepRightToListen() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  data[0].permitted = data[0].effective = 1U << CAP_NET_BIND_SERVICE;
  return ::syscall(SYS_capset, &header, data) == 0;
}

core::Error CannotLeave(const std::string& what) {
  return {"cannot_leave_root", fmt::format("{}: {}", what, std::generic_category().message(errno))};
}

core::Status Become(const DatabaseUser& user, bool listens_low) {
  if (listens_low && ::prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) return CannotLeave("prctl");
  if (!embedded::BecomeUser(user)) return CannotLeave(fmt::format("becoming `{}`", user.name));
  if (listens_low && !KeepRightToListen()) return CannotLeave("capset");
  // From here on, programs with the set-user-id bit cannot give root's rights back.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return CannotLeave("prctl");
  if (::setuid(0) == 0 || ::geteuid() == 0 || ::getegid() == 0) {
    return core::Error{"cannot_leave_root", "this process can still become root again"};
  }
  return core::Ok();
}

core::Status ExpectReachable(const fs::path& path, const DatabaseUser& user) {
  const auto closed = embedded::FirstUnreachable(fs::absolute(path), user);
  if (!closed) return core::Ok();
  return core::Error{"configs_unreachable",
                     fmt::format("the server's user `{1}` must read {2}, but cannot enter {0}. Run "
                                 "chmod o+x {0}, or install tunehub elsewhere",
                                 closed->string(), user.name, path.string())};
}

// With another database, the data folder still contains the server's signing key.
core::Status GiveFolders(const Settings& settings, const DatabaseUser& user) {
  const bool used =
      settings.database.empty() || settings.signing_key.parent_path() == settings.data;
  if (!used) return core::Ok();
  if (const auto given = embedded::GiveDataDir(settings.data, user); !given.ok()) return given;
  if (settings.wal_archive.empty()) return core::Ok();
  return embedded::GiveDataDir(settings.wal_archive, user);
}

}  // namespace

core::Status LeaveRoot(const Settings& settings) {
  if (::geteuid() != 0) return StayWhoOneIs(settings.user);
  auto user = ChooseUser(settings);
  if (!user.ok()) return user.error();
  if (user->uid == 0) {
    return core::Error{"bad_setting", "user: 'root': a server does not run as root"};
  }
  if (const auto reached = ExpectReachable(settings.configs, *user); !reached.ok()) return reached;
  if (const auto given = GiveFolders(settings, *user); !given.ok()) return given;
  SetEnvironment(*user, MakeRuntimeDir(*user));
  const bool listens_low = settings.listener.port != 0 && settings.listener.port < kFirstFreePort;
  if (const auto left = Become(*user, listens_low); !left.ok()) return left;
  spdlog::info("root started this server, which now runs as `{}`", user->name);
  return core::Ok();
}

core::Result<DatabaseUser> ServerUser(const Settings& settings) {
  if (::geteuid() == 0) return ChooseUser(settings);
  auto own = embedded::UserOf(::geteuid())
                 .value_or(DatabaseUser{
                     .uid = ::geteuid(), .gid = ::getegid(), .groups = {}, .name = {}, .home = {}});
  if (own.name.empty()) own.name = OwnName();
  own.switched = false;
  return own;
}
}  // namespace tunehub::server
