#include "server/lookout.h"

#include <spdlog/spdlog.h>

#include <cstddef>
#include <system_error>

#include "server/gauges.h"
#include "server/hub.h"
#include "server/ops/backup.h"

namespace tunehub::server {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookEvery = 5s;
constexpr auto kSizeEvery = 60s;  // PostgreSQL asks the file system for each file

void AddConnectionGauges(Figures& figures, const ConnectionPool& pool) {
  struct Row {
    const char *name, *help;
    std::size_t ConnectionFigures::*figure;
  };
  constexpr Row kRows[] = {
      {"tunehub_database_connections_limit", "Connections to the database that may be open",
       &ConnectionFigures::size},
      {"tunehub_database_connections", "Open connections to the database",
       &ConnectionFigures::open},
      {"tunehub_database_connections_in_use", "Connections to the database that work now",
       &ConnectionFigures::in_use}};
  for (const Row& row : kRows)
    figures.AddGauge(row.name, row.help, [&pool, row] { return pool.figures().*row.figure; });
  figures.AddHistogram("tunehub_database_wait_seconds",
                       "Seconds until a connection to the database was free or made",
                       [&] { return pool.waits().Read(); });
  for (std::size_t i = 0; i < kFailures; ++i) {
    figures.AddCounter(
        "tunehub_database_failures_total", "Statements and connections that failed, by the kind",
        [&pool, i] { return pool.figures().failures[i]; }, {{"kind", kFailureNames[i]}});
  }
}

// What one member of an optional says, where it is there.
template <typename Record, typename Member>
auto MemberOf(const std::optional<Record>& record, Member Record::*member) {
  return record ? std::optional((*record).*member) : std::nullopt;
}

void AddQueueGauges(Figures& figures, const Queue& queue, const Lookout& lookout) {
  struct State {
    const char* name;
    std::int64_t JobCounts::*count;
  };
  constexpr State kStates[] = {{"queued", &JobCounts::queued},
                               {"running", &JobCounts::running},
                               {"done", &JobCounts::done},
                               {"parked", &JobCounts::parked}};
  for (const State& state : kStates) {
    figures.AddGauge("tunehub_jobs", "Jobs by state; done ones until they are deleted",
                     [&lookout, state] { return MemberOf(lookout.seen().jobs, state.count); },
                     {{"state", state.name}});
  }
  figures.AddCounter("tunehub_claims_total", "Jobs handed out by this server",
                     [&] { return queue.claims.taken(); });
  figures.AddCounter("tunehub_leases_expired_total",
                     "Jobs that this server took back, since their agent was silent",
                     [&] { return queue.leases.expired(); });
  figures.AddCounter("tunehub_leases_renewed_total",
                     "Leases that began anew, since nobody could renew them for a while",
                     [&] { return queue.leases.renewed(); });
}

void AddReplicationGauges(Figures& figures, const Lookout& lookout) {
  const auto add = [&](const char* sync, std::int64_t Replication::*count) {
    figures.AddGauge(
        "tunehub_database_standbys",
        "Standbys that follow the database, where its role may see them",
        [&lookout, count] { return MemberOf(lookout.seen().database.replication, count); },
        {{"sync", sync}});
  };
  add("yes", &Replication::synchronous);
  add("no", &Replication::asynchronous);
  figures.AddGauge("tunehub_database_replication_lag_bytes",
                   "Bytes of WAL that the standby farthest behind has not applied", [&] {
                     const auto replication = lookout.seen().database.replication;
                     return replication ? replication->lag_bytes : std::nullopt;
                   });
}

void AddFileGauges(Figures& figures, const Lookout& lookout) {
  figures.AddCounter(
      "tunehub_wal_archived_total", "Files of WAL that the database has archived",
      [&] { return MemberOf(lookout.seen().database.archive, &WalArchive::archived); });
  figures.AddCounter(
      "tunehub_wal_archive_failures_total", "Attempts to archive a file of WAL that failed",
      [&] { return MemberOf(lookout.seen().database.archive, &WalArchive::failed); });
  figures.AddGauge("tunehub_database_bytes", "Bytes of the database, read once a minute",
                   [&] { return lookout.seen().database_bytes; });
  figures.AddGauge("tunehub_backup_made_seconds",
                   "When the last backup was made, in seconds since 1970; 0: there is none",
                   [&]() -> std::optional<double> {
                     const auto backup = lookout.seen().backup;
                     if (!backup) return std::nullopt;
                     return std::chrono::duration<double>(backup->time_since_epoch()).count();
                   });
  using Space = std::filesystem::space_info;
  figures.AddGauge("tunehub_data_disk_free_bytes",
                   "Bytes that are free where the embedded database's folder is",
                   [&] { return MemberOf(lookout.seen().disk, &Space::available); });
  figures.AddGauge("tunehub_data_disk_bytes", "Bytes that there are in all",
                   [&] { return MemberOf(lookout.seen().disk, &Space::capacity); });
}

}  // namespace

void Lookout::Start() {
  LookAtFiles();
  LookAtDatabase(true);
  thread_.Start([this] { Follow(); });
}

Seen Lookout::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

void Lookout::Follow() {
  auto size_at = std::chrono::steady_clock::now() + kSizeEvery;
  while (thread_.Pause(kLookEvery)) {
    const auto now = std::chrono::steady_clock::now();
    LookAtFiles();
    if (LookAtDatabase(now >= size_at) && now >= size_at) size_at = now + kSizeEvery;
  }
}

void Lookout::LookAtFiles() {
  std::optional<std::filesystem::space_info> disk;
  if (!data_.empty()) {
    std::error_code error;
    const auto space = std::filesystem::space(data_, error);
    if (!error) disk = space;
  }
  std::optional<std::chrono::system_clock::time_point> last;
  if (!backups_.empty()) last = NewestMade(backups_);
  const std::lock_guard lock(mutex_);
  seen_.disk = disk;
  seen_.backup = last;
}

bool Lookout::LookAtDatabase(bool at_size) {
  try {
    const JobCounts jobs = JobStore(pool_).CountJobs();
    const DatabaseState database = StateStore(pool_).Read();
    std::optional<std::int64_t> bytes;
    if (at_size) bytes = StateStore(pool_).ReadBytes();
    const std::lock_guard lock(mutex_);
    seen_.jobs = jobs;
    seen_.database = database;
    if (at_size) seen_.database_bytes = bytes;
    return true;
  } catch (const std::exception& error) {
    spdlog::debug("figures of the database: {}", error.what());
    return false;
  }
}

void AddDatabaseGauges(Hub& hub, const Lookout& lookout) {
  Figures& figures = hub.metrics.figures;
  AddConnectionGauges(figures, hub.pool);
  AddQueueGauges(figures, hub.queue, lookout);
  AddReplicationGauges(figures, lookout);
  AddFileGauges(figures, lookout);
}

}  // namespace tunehub::server
