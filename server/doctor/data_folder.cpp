// The folder of the embedded PostgreSQL: whose it is, and what was left in it.
#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "server/doctor/checks.h"
#include "server/doctor/process.h"
#include "server/embedded/binaries.h"
#include "server/embedded/cluster.h"
#include "server/embedded/lock.h"
#include "server/embedded/pidfile.h"

namespace tunehub::doctor {
namespace {

namespace fs = std::filesystem;

std::string NameOf(uid_t uid) {
  const auto user = embedded::UserOf(uid);
  return user ? user->name : std::to_string(uid);
}

// Files that the server writes: one that is somebody else's ends its start.
void CheckOwners(const Subject& subject, Report& report) {
  constexpr const char* kNames[] = {"", "pg", "server.lock", "pg.lock", "pg.log"};
  for (const char* name : kNames) {
    const fs::path path = *name == '\0' ? subject.data : subject.data / name;
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0 || info.st_uid == subject.user.uid) continue;
    report.Wrong(fmt::format("{} belongs to `{}`, and the server runs as `{}`", path.string(),
                             NameOf(info.st_uid), subject.user.name),
                 fmt::format("chown -R {} {}", subject.user.name, subject.data.string()));
    return;  // the rest is most likely the same
  }
}

void CheckLeftovers(const Subject& subject, Report& report) {
  if (embedded::ServerLockHeld(subject.data)) return;
  const fs::path pg = subject.data / "pg";
  const auto pidfile = embedded::ReadPidfile(pg);
  const auto living = embedded::ProcessesOf(pg);
  if (!living.empty()) {
    report.Wrong(fmt::format("a PostgreSQL (pid {}) runs on {}, and no server with it",
                             living.front(), pg.string()),
                 "start the server, which stops it first and runs its own");
  } else if (pidfile) {
    const std::string now = ProcessName(pidfile->pid);
    report.Wrong(
        fmt::format("the PostgreSQL of {} did not end in order: it left postmaster.pid, whose "
                    "pid {} {}",
                    pg.string(), pidfile->pid, now.empty() ? "is gone" : "is `" + now + "` now"),
        "start the server, which takes the file away and recovers");
  }
}

}  // namespace

void CheckDataFolder(Subject& subject, Report& report) {
  if (!subject.is_embedded()) return;
  struct stat info {};
  if (::stat(subject.data.c_str(), &info) != 0) {
    const int error = errno;
    if (error == EACCES) {
      return report.CouldNotLook(subject.data.string() + " is closed to the user of this command");
    }
    return report.Wrong(fmt::format("the data folder {} cannot be used: {}", subject.data.string(),
                                    std::generic_category().message(error)),
                        "start the server once, which makes it, or name another (--data)");
  }
  if (!S_ISDIR(info.st_mode)) {
    return report.Wrong(subject.data.string() + " is no folder", "name another (--data)");
  }
  CheckOwners(subject, report);
  if (const auto closed = embedded::FirstUnreachable(fs::absolute(subject.data), subject.user)) {
    report.Wrong(fmt::format("{} cannot be entered by the user `{}`, whom the server runs as",
                             closed->string(), subject.user.name),
                 "open it: chmod o+x " + closed->string());
  }
  const fs::path root = embedded::ClusterOptions().postgres_root;
  const auto binaries = embedded::FindBinaries(root, subject.data / "pg");
  if (!binaries.ok()) report.Wrong(binaries.error().detail, "nothing else starts this database");
  CheckLeftovers(subject, report);
}

}  // namespace tunehub::doctor
