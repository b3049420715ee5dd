#include "server/lookout.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <system_error>

#include "server/db/connection_pool.h"
#include "server/db/database_state.h"
#include "server/gauges.h"
#include "server/ops/backup.h"
#include "server/ops/metrics.h"
#include "server/queue/leases.h"
#include "server/queue/queue_records.h"
#include "server/queue/queue_store.h"

namespace tunehub::server {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookEvery = 5s;
constexpr auto kSizeEvery = 60s;  // PostgreSQL asks the file system for each file

}  // namespace

void Lookout::Start() {
  LookAtFiles();
  LookAtDatabase(true);
  thread_ = std::thread([this] { Follow(); });
}

void Lookout::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Seen Lookout::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

void Lookout::Follow() {
  auto size_at = std::chrono::steady_clock::now() + kSizeEvery;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (stop_.wait_for(lock, kLookEvery, [this] { return stopping_; })) return;
    }
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
  if (!backups_.empty()) {
    // A folder that cannot be read has none either: nobody knows of one.
    const auto newest = Newest(backups_);
    last = newest.ok() && *newest ? (*newest)->made : std::chrono::system_clock::time_point();
  }
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

// What /metrics says of the database and of what is in it: of the pool from memory, of the rest
// what the lookout has seen.

namespace {

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
  for (const Row& row : kRows) {
    figures.AddGauge(row.name, row.help,
                     [&pool, row] { return static_cast<double>(pool.figures().*row.figure); });
  }
  figures.AddHistogram("tunehub_database_wait_seconds",
                       "Seconds until a connection to the database was free or made",
                       [&pool] { return pool.waits().Read(); });
  for (std::size_t i = 0; i < kFailures; ++i) {
    figures.AddCounter("tunehub_database_failures_total",
                       "Statements and connections that failed, by the kind",
                       [&pool, i] { return static_cast<double>(pool.figures().failures[i]); },
                       {{"kind", kFailureNames[i]}});
  }
}

void AddQueueGauges(Figures& figures, const Leases& leases, const Lookout& lookout) {
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
                     [&lookout, state]() -> std::optional<double> {
                       const auto jobs = lookout.seen().jobs;
                       if (!jobs) return std::nullopt;
                       return static_cast<double>((*jobs).*state.count);
                     },
                     {{"state", state.name}});
  }
  figures.AddCounter("tunehub_claims_total", "Jobs handed out by this server",
                     [&leases] { return static_cast<double>(leases.taken()); });
  figures.AddCounter("tunehub_leases_expired_total",
                     "Jobs that this server took back, since their agent was silent",
                     [&leases] { return static_cast<double>(leases.store.expired()); });
  figures.AddCounter("tunehub_leases_renewed_total",
                     "Leases that began anew, since nobody could renew them for a while",
                     [&leases] { return static_cast<double>(leases.store.renewed()); });
}

// `of` what was seen: absent where that was not seen.
template <typename Of>
Figures::Value ValueOf(const Lookout& lookout, Of of) {
  return [&lookout, of]() -> std::optional<double> {
    const auto value = of(lookout.seen());
    if (!value) return std::nullopt;
    return static_cast<double>(*value);
  };
}

// What one member of an optional says, where it is there.
template <typename Record, typename Member>
auto MemberOf(const std::optional<Record>& record, Member Record::*member) {
  return record ? std::optional((*record).*member) : std::nullopt;
}

void AddReplicationGauges(Figures& figures, const Lookout& lookout) {
  constexpr const char* kHelp = "Standbys that follow the database, where its role may see them";
  figures.AddGauge("tunehub_database_standbys", kHelp,
                   ValueOf(lookout,
                           [](const Seen& seen) {
                             return MemberOf(seen.database.replication, &Replication::synchronous);
                           }),
                   {{"sync", "yes"}});
  figures.AddGauge("tunehub_database_standbys", kHelp,
                   ValueOf(lookout,
                           [](const Seen& seen) {
                             return MemberOf(seen.database.replication, &Replication::asynchronous);
                           }),
                   {{"sync", "no"}});
  figures.AddGauge("tunehub_database_replication_lag_bytes",
                   "Bytes of WAL that the standby farthest behind has not applied",
                   ValueOf(lookout, [](const Seen& seen) {
                     const auto& replication = seen.database.replication;
                     return replication ? replication->lag_bytes : std::nullopt;
                   }));
}

void AddArchiveGauges(Figures& figures, const Lookout& lookout) {
  figures.AddCounter("tunehub_wal_archived_total", "Files of WAL that the database has archived",
                     ValueOf(lookout, [](const Seen& seen) {
                       return MemberOf(seen.database.archive, &WalArchive::archived);
                     }));
  figures.AddCounter("tunehub_wal_archive_failures_total",
                     "Attempts to archive a file of WAL that failed",
                     ValueOf(lookout, [](const Seen& seen) {
                       return MemberOf(seen.database.archive, &WalArchive::failed);
                     }));
}

}  // namespace

void AddDatabaseGauges(Metrics& metrics, const ConnectionPool& pool, const Leases& leases,
                       const Lookout& lookout) {
  Figures& figures = metrics.figures;
  AddConnectionGauges(figures, pool);
  AddQueueGauges(figures, leases, lookout);
  AddReplicationGauges(figures, lookout);
  AddArchiveGauges(figures, lookout);
  figures.AddGauge("tunehub_database_bytes", "Bytes of the database, read once a minute",
                   ValueOf(lookout, [](const Seen& seen) { return seen.database_bytes; }));
  figures.AddGauge("tunehub_backup_made_seconds",
                   "When the last backup was made, in seconds since 1970; 0: there is none",
                   ValueOf(lookout, [](const Seen& seen) -> std::optional<double> {
                     if (!seen.backup) return std::nullopt;
                     return std::chrono::duration<double>(seen.backup->time_since_epoch()).count();
                   }));
  figures.AddGauge("tunehub_data_disk_free_bytes",
                   "Bytes that are free where the embedded database's folder is",
                   ValueOf(lookout, [](const Seen& seen) {
                     return MemberOf(seen.disk, &std::filesystem::space_info::available);
                   }));
  figures.AddGauge("tunehub_data_disk_bytes", "Bytes that there are in all",
                   ValueOf(lookout, [](const Seen& seen) {
                     return MemberOf(seen.disk, &std::filesystem::space_info::capacity);
                   }));
}

}  // namespace tunehub::server
