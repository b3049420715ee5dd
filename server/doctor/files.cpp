// Files beside the data: the dashboard's, backups, passwords.
#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>

#include "core/base/rfc3339.h"
#include "server/backup/retention.h"
#include "server/doctor/checks.h"
#include "server/doctor/readable.h"

namespace tunehub::doctor {
namespace {

namespace fs = std::filesystem;

// A night, the timer's delay, and the time that a backup takes.
constexpr std::chrono::hours kOldBackup{26};

}  // namespace

void CheckWeb(Subject& subject, Report& report) {
  std::error_code error;
  if (fs::exists(subject.web / "index.html", error)) return;
  report.Wrong(fmt::format("the dashboard's files are not at {}", subject.web.string()),
               "build them (deploy/build-web), or install the package again");
}

void CheckBackups(Subject& subject, Report& report) {
  if (subject.backups.empty()) return;
  const char* const advice =
      "systemctl status tunehub-backup, or whatever is to make one each night, says why";
  std::error_code error;
  if (!fs::exists(subject.backups, error) && !error)
    return report.Wrong(subject.backups.string() + " is not there", advice);
  const auto newest = backup::Newest(subject.backups);
  if (!newest.ok()) return report.CouldNotLook(newest.error().detail);
  if (!*newest) return report.Wrong(subject.backups.string() + " has no backup", advice);
  const auto age = std::chrono::system_clock::now() - (*newest)->made;
  if (age <= kOldBackup) return;
  report.Wrong(fmt::format("the last backup, {}, is {} hours old",
                           (subject.backups / (*newest)->name).string(),
                           std::chrono::duration_cast<std::chrono::hours>(age).count()),
               advice);
}

// libpq looks for passwords below the home of whom it runs as: not root's, once a server has left
// root.
void CheckPasswordFile(Subject& subject, Report& report) {
  if (subject.is_embedded()) return;
  const char* const named = std::getenv("PGPASSFILE");  // NOLINT(concurrency-mt-unsafe)
  const fs::path own = named != nullptr ? fs::path(named) : subject.user.home / fs::path(".pgpass");
  std::error_code error;
  if (fs::exists(own, error)) {
    if (MayRead(own, subject.user)) return;
    return report.Wrong(fmt::format("{} cannot be read by the user `{}`, whom the server runs as",
                                    own.string(), subject.user.name),
                        fmt::format("chown {} {}", subject.user.name, own.string()));
  }
  const auto caller = embedded::UserOf(::geteuid());
  if (!subject.user.switched || !caller) return;
  const fs::path of_caller = fs::path(caller->home) / ".pgpass";
  if (!fs::exists(of_caller, error)) return;
  report.Wrong(fmt::format("{} is not read by the server, which runs as `{}`", of_caller.string(),
                           subject.user.name),
               fmt::format("copy it to {}, mode 0600, owned by that user", own.string()));
}

}  // namespace tunehub::doctor
