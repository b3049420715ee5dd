// Standbys that are missing, and WAL that is not archived.
#include <fmt/core.h>

#include <charconv>

#include "server/doctor/checks.h"

namespace tunehub::doctor {
namespace {

constexpr std::int64_t kWalMegabyte = 1'000'000;
constexpr std::int64_t kMuchWal = 256 * kWalMegabyte;

// How many standbys a commit waits for: the number in "ANY 2 (a, b, c)"; 1 of a bare list.
std::int64_t WaitsFor(std::string_view standbys) {
  const std::size_t bracket = standbys.find('(');
  if (bracket == std::string_view::npos) return 1;
  const std::size_t digit = standbys.find_first_of("0123456789");
  std::int64_t number = 1;
  if (digit < bracket) {
    std::from_chars(standbys.data() + digit, standbys.data() + bracket, number);
  }
  return number;
}

}  // namespace

void CheckReplication(Subject& subject, Report& report) {
  const auto health = subject.store->health().Server();
  if (!health.idle_slots.empty() && health.idle_slot_bytes > kMuchWal) {
    report.Wrong(fmt::format("nobody reads the replication slots {}, for which the database keeps "
                             "{} MB of WAL",
                             health.idle_slots, health.idle_slot_bytes / kWalMegabyte),
                 "start their standbys, or drop them (pg_drop_replication_slot) before the disk is "
                 "full");
  }
  if (health.standbys_wanted.empty()) return;
  if (!health.sees_standbys) {
    return report.CouldNotLook("the role may not see replication: GRANT pg_read_all_stats to it");
  }
  const std::int64_t wanted = WaitsFor(health.standbys_wanted);
  if (health.synchronous >= wanted) return;
  report.Wrong(fmt::format("commits wait for {} synchronous standbys ({}), and {} are there",
                           wanted, health.standbys_wanted, health.synchronous),
               "start the standbys: writes hang until then");
}

void CheckArchiver(Subject& subject, Report& report) {
  const auto archiver = subject.store->health().Archiver();
  if (!subject.wal_archive.empty() && !archiver.on) {
    report.Wrong(fmt::format("wal_archive is {}, and the running database archives nothing",
                             subject.wal_archive.string()),
                 "restart the server, which starts its PostgreSQL with it");
  }
  if (!archiver.on || !archiver.fails_now) return;
  report.Wrong(
      fmt::format("WAL is not archived: {} failed at {}, after {} failures in all, and the "
                  "last success was {}",
                  archiver.last_failed_file, archiver.last_failed, archiver.failed,
                  archiver.last_archived.empty() ? "never" : "at " + archiver.last_archived),
      "the log of PostgreSQL says why; until then it keeps all WAL on its own disk");
}

}  // namespace tunehub::doctor
