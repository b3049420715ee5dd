// What /metrics says of the database and of what is in it: of the pool from memory, of the rest
// what the lookout has seen.
#include <chrono>
#include <cstddef>
#include <optional>

#include "server/gauges.h"
#include "server/lookout.h"
#include "server/service/operations/metrics.h"
#include "server/store/store.h"

namespace tunehub::server {
namespace {

using service::Figures;

void AddConnectionGauges(Figures& figures, const store::Store& store) {
  struct Row {
    const char *name, *help;
    std::size_t store::ConnectionFigures::*figure;
  };
  constexpr Row kRows[] = {
      {"tunehub_database_connections_limit", "Connections to the database that may be open",
       &store::ConnectionFigures::size},
      {"tunehub_database_connections", "Open connections to the database",
       &store::ConnectionFigures::open},
      {"tunehub_database_connections_in_use", "Connections to the database that work now",
       &store::ConnectionFigures::in_use}};
  for (const Row& row : kRows) {
    figures.AddGauge(row.name, row.help, [&store, row] {
      return static_cast<double>(store.connections().*row.figure);
    });
  }
  figures.AddHistogram("tunehub_database_wait_seconds",
                       "Seconds until a connection to the database was free or made",
                       [&store] { return store.connection_waits(); });
  for (std::size_t i = 0; i < store::kFailures; ++i) {
    figures.AddCounter("tunehub_database_failures_total",
                       "Statements and connections that failed, by the kind",
                       [&store, i] { return static_cast<double>(store.connections().failures[i]); },
                       {{"kind", store::kFailureNames[i]}});
  }
}

void AddQueueGauges(Figures& figures, store::Store& store, const Lookout& lookout) {
  struct State {
    const char* name;
    std::int64_t store::JobCounts::*count;
  };
  constexpr State kStates[] = {{"queued", &store::JobCounts::queued},
                               {"running", &store::JobCounts::running},
                               {"done", &store::JobCounts::done},
                               {"parked", &store::JobCounts::parked}};
  for (const State& state : kStates) {
    figures.AddGauge("tunehub_jobs", "Jobs by state; done ones until they are deleted",
                     [&lookout, state]() -> std::optional<double> {
                       const auto jobs = lookout.seen().jobs;
                       if (!jobs) return std::nullopt;
                       return static_cast<double>((*jobs).*state.count);
                     },
                     {{"state", state.name}});
  }
  figures.AddCounter("tunehub_leases_expired_total",
                     "Jobs that this server took back, since their agent was silent",
                     [&store] { return static_cast<double>(store.queue().expired()); });
  figures.AddCounter("tunehub_leases_renewed_total",
                     "Leases that began anew, since nobody could renew them for a while",
                     [&store] { return static_cast<double>(store.queue().renewed()); });
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
                             return MemberOf(seen.database.replication,
                                             &store::Replication::synchronous);
                           }),
                   {{"sync", "yes"}});
  figures.AddGauge("tunehub_database_standbys", kHelp,
                   ValueOf(lookout,
                           [](const Seen& seen) {
                             return MemberOf(seen.database.replication,
                                             &store::Replication::asynchronous);
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
                       return MemberOf(seen.database.archive, &store::WalArchive::archived);
                     }));
  figures.AddCounter("tunehub_wal_archive_failures_total",
                     "Attempts to archive a file of WAL that failed",
                     ValueOf(lookout, [](const Seen& seen) {
                       return MemberOf(seen.database.archive, &store::WalArchive::failed);
                     }));
}

}  // namespace

void AddDatabaseGauges(service::Metrics& metrics, store::Store& store, const Lookout& lookout) {
  Figures& figures = metrics.figures;
  AddConnectionGauges(figures, store);
  AddQueueGauges(figures, store, lookout);
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
