// Every metric: its name, help and source. Each part of the server counts its own figures.
#include "server/metric_table.h"

#include <chrono>

#include "build_info.h"
#include "core/base/process.h"
#include "server/http/listener.h"
#include "server/http/worker_pool.h"
#include "server/hub.h"
#include "server/lookout.h"
#include "server/ops/limits.h"
#include "server/ops/metrics.h"
#include "server/tls/identity.h"

namespace tunehub::server {
namespace {

void AddRequestMetrics(Metrics& metrics) {
  using Samples = std::vector<Figures::Sample>;
  Figures& figures = metrics.figures;
  const RequestTimes& requests = metrics.requests;
  for (const bool refused : {false, true}) {
    figures.AddCounter("tunehub_batches_total", "Posted batches of results and imports",
                       [&metrics, refused] { return metrics.batches(refused); },
                       {{"outcome", refused ? "refused" : "stored"}});
  }
  figures.Add(Figures::Kind::kHistogram, "tunehub_http_answer_seconds",
              "Seconds from a request's whole header to its answer, by the route's pattern",
              [&](Samples& samples) { requests.Times(samples); });
  figures.Add(Figures::Kind::kCounter, "tunehub_http_request_body_bytes_total",
              "Bytes of request bodies, as sent",
              [&](Samples& samples) { requests.Taken(samples); });
  figures.Add(Figures::Kind::kCounter, "tunehub_http_answer_body_bytes_total",
              "Bytes of answer bodies, as sent",
              [&](Samples& samples) { requests.Given(samples); });
  for (std::size_t i = 0; i < kKeyRefusals.size(); ++i) {
    figures.AddCounter("tunehub_keys_rejected_total",
                       "Requests refused because of their API key, by reason",
                       [&metrics, i] { return metrics.Refused(kKeyRefusals[i]); },
                       {{"reason", kKeyRefusalNames[i]}});
  }
}

void AddSnapshotMetrics(Figures& figures, const Snapshots& snapshots) {
  figures.AddGauge("tunehub_revision", "The registry's revision in memory",
                   [&] { return snapshots.Current()->revision.number; });
  figures.AddGauge("tunehub_database_reachable", "1; 0 while reads come from the last snapshot",
                   [&] { return snapshots.stale() ? 0 : 1; });
  figures.AddGauge("tunehub_database_read_only", "1 while the database accepts no writes, else 0",
                   [&] { return snapshots.read_only() ? 1 : 0; });
  figures.AddGauge(
      "tunehub_snapshot_age_seconds",
      "Age of the served data: seconds after the last check that found the data current",
      [&] { return snapshots.age(); });
  figures.AddGauge("tunehub_snapshot_behind_revisions",
                   "Revisions of the database that are not served yet",
                   [&] { return snapshots.behind(); });
  figures.AddHistogram("tunehub_snapshot_refresh_seconds",
                       "Seconds per update of the served data from the database",
                       [&] { return snapshots.refreshes().Read(); });
}

void AddTableMetrics(Figures& figures, const TunedTables& tables) {
  figures.AddGauge("tunehub_cache_bytes", "Bytes of tables in the cache",
                   [&] { return tables.counters().bytes; });
  figures.AddCounter("tunehub_cache_hits_total", "Tables found in the cache",
                     [&] { return tables.counters().hits; });
  figures.AddCounter("tunehub_cache_misses_total", "Tables made because the cache lacked them",
                     [&] { return tables.counters().misses; });
  figures.AddGauge("tunehub_past_bytes", "Bytes of old revisions in memory: answers and rows",
                   [&] { return tables.past_counters().bytes + tables.past_row_counters().bytes; });
}

void AddIngestMetrics(Figures& figures, const IngestFigures& taken) {
  struct Rows {
    const char* outcome;
    std::atomic<std::uint64_t> IngestFigures::*count;
  };
  constexpr Rows kRows[] = {{"stored", &IngestFigures::stored},
                            {"unchanged", &IngestFigures::unchanged},
                            {"folded", &IngestFigures::folded},
                            {"rejected", &IngestFigures::rejected}};
  for (const Rows& rows : kRows) {
    figures.AddCounter("tunehub_ingest_rows_total",
                       "Rows of stored batches: new, known, repeated in the batch, or unreadable",
                       [&taken, rows] { return (taken.*rows.count).load(); },
                       {{"outcome", rows.outcome}});
  }
  figures.AddCounter("tunehub_ingest_quarantined_rows_total",
                     "Quarantined rows: stored but never served",
                     [&] { return taken.quarantined.load(); });
  constexpr const char* kSeconds = "Seconds to read and store a batch";
  figures.AddHistogram("tunehub_ingest_seconds", kSeconds, [&] { return taken.results.Read(); },
                       {{"kind", "results"}});
  figures.AddHistogram("tunehub_ingest_seconds", kSeconds, [&] { return taken.imports.Read(); },
                       {{"kind", "import"}});
}

// The names are those of Prometheus' client libraries.
void AddProcessMetrics(Figures& figures) {
  using Kind = Figures::Kind;
  using Usage = core::ProcessUsage;
  const auto add = [&](Kind kind, const char* name, const char* help, auto Usage::*member) {
    figures.Add(kind, name, help, [member](std::vector<Figures::Sample>& samples) {
      if (const auto usage = core::ReadProcessUsage())
        samples.push_back({{}, static_cast<double>((*usage).*member)});
    });
  };
  add(Kind::kCounter, "process_cpu_seconds_total", "Seconds of processor time of this process",
      &Usage::cpu_seconds);
  add(Kind::kGauge, "process_resident_memory_bytes", "Bytes of memory that this process holds",
      &Usage::resident_bytes);
  add(Kind::kGauge, "process_virtual_memory_bytes", "Bytes of address space that this process uses",
      &Usage::virtual_bytes);
  add(Kind::kGauge, "process_threads", "Threads of this process", &Usage::threads);
  add(Kind::kGauge, "process_open_fds", "Open files and connections of this process",
      &Usage::open_files);
  add(Kind::kGauge, "process_max_fds", "Open files that this process may have", &Usage::most_files);
  add(Kind::kGauge, "process_start_time_seconds", "Start of this process, in seconds since 1970",
      &Usage::started_seconds);
  figures.AddGauge("tunehub_build_info", "1; the version is a label", [] { return 1; },
                   {{"version", TUNEHUB_VERSION}});
}

void AddPoolMetrics(Figures& figures, const http::Listener& listener) {
  struct Row {
    const char *name, *help;
    std::size_t http::PoolFigures::*figure;
  };
  constexpr Row kRows[] = {
      {"tunehub_pool_threads", "Threads of a pool", &http::PoolFigures::threads},
      {"tunehub_pool_busy_threads", "Threads of a pool that work now", &http::PoolFigures::busy},
      {"tunehub_pool_places", "Requests that may wait for a pool", &http::PoolFigures::places},
      {"tunehub_pool_waiting_requests", "Requests that wait now", &http::PoolFigures::waiting}};
  for (std::size_t i = 0; i < http::kPools; ++i) {
    const auto pool = static_cast<http::Pool>(i);
    const Figures::Labels labels = {{"pool", http::kPoolNames[i]}};
    for (const Row& row : kRows) {
      figures.AddGauge(
          row.name, row.help,
          [&listener, pool, row] { return listener.pool(pool).figures().*row.figure; }, labels);
    }
    figures.AddHistogram(
        "tunehub_pool_wait_seconds", "Seconds that requests waited for a thread of a pool",
        [&listener, pool] { return listener.pool(pool).waits().Read(); }, labels);
  }
}

// Adds a counter for each limit. The server answers 503 if it has no room, and 429 if one client
// used up its share.
void AddRefusalMetrics(Metrics& metrics, const http::Listener& listener) {
  constexpr const char* kName = "tunehub_refusals_total";
  constexpr const char* kHelp = "Requests and connections that the server refused, by limit";
  for (std::size_t i = 0; i < http::kRooms; ++i) {
    metrics.figures.AddCounter(kName, kHelp,
                               [&listener, i] { return listener.counters().refused[i]; },
                               {{"limit", http::kRoomNames[i]}});
  }
  for (std::size_t i = 0; i < http::kRatedPools; ++i) {
    metrics.figures.AddCounter(kName, kHelp,
                               [&metrics, i] { return metrics.Refused(kRateRefusals[i]); },
                               {{"limit", kLimitNames[i]}});
  }
}

void AddTlsMetrics(Figures& figures, const tls::TlsIdentity& identity,
                   const http::Listener& listener) {
  struct Handshakes {
    const char* how;
    std::size_t http::Counters::*count;
  };
  constexpr Handshakes kHandshakes[] = {{"whole", &http::Counters::handshakes},
                                        {"resumed", &http::Counters::handshakes_resumed},
                                        {"failed", &http::Counters::handshakes_failed}};
  for (const Handshakes& it : kHandshakes) {
    figures.AddCounter("tunehub_tls_handshakes_total", "TLS handshakes",
                       [&listener, it] { return listener.counters().*it.count; },
                       {{"how", it.how}});
  }
  figures.AddGauge("tunehub_tls_certificate_expires_seconds",
                   "Time at which the certificate expires, in seconds since 1970", [&] {
                     const auto since_1970 = identity.expires().time_since_epoch();
                     return std::chrono::duration<double>(since_1970).count();
                   });
}

void AddDatabaseMetrics(Figures& figures, const ConnectionPool& pool) {
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
                       "Seconds that a thread waited for a connection to the database",
                       [&] { return pool.waits().Read(); });
  for (std::size_t i = 0; i < kFailures; ++i) {
    figures.AddCounter(
        "tunehub_database_failures_total", "Statements and connections that failed, by the kind",
        [&pool, i] { return pool.figures().failures[i]; }, {{"kind", kFailureNames[i]}});
  }
}

template <typename Record, typename Member>
auto MemberOf(const std::optional<Record>& record, Member Record::*member) {
  return record ? std::optional((*record).*member) : std::nullopt;
}

void AddQueueMetrics(Figures& figures, const Queue& queue, const Lookout& lookout) {
  struct State {
    const char* name;
    std::int64_t JobCounts::*count;
  };
  constexpr State kStates[] = {{"queued", &JobCounts::queued},
                               {"running", &JobCounts::running},
                               {"done", &JobCounts::done},
                               {"parked", &JobCounts::parked}};
  for (const State& state : kStates) {
    figures.AddGauge("tunehub_jobs", "Jobs by state; done jobs count until they are deleted",
                     [&lookout, state] { return MemberOf(lookout.seen().jobs, state.count); },
                     {{"state", state.name}});
  }
  figures.AddCounter("tunehub_claims_total", "Jobs handed out by this server",
                     [&] { return queue.claims.taken(); });
  figures.AddCounter("tunehub_leases_expired_total",
                     "Jobs that this server took back after missing heartbeats",
                     [&] { return queue.leases.expired(); });
  figures.AddCounter(
      "tunehub_leases_renewed_total",
      "Leases that the server extended after an outage in which no agent could renew them",
      [&] { return queue.leases.renewed(); });
}

void AddWebhookMetrics(Figures& figures, const Webhook& webhook) {
  for (std::size_t i = 0; i < kNoticeOutcomes.size(); ++i) {
    figures.AddCounter("tunehub_webhook_posts_total",
                       "Posts of this server to the webhook: sent, failed and tried again, or lost",
                       [&webhook, i] { return webhook.Count(static_cast<NoticeOutcome>(i)); },
                       {{"outcome", kNoticeOutcomes[i]}});
  }
}

void AddDriftMetrics(Figures& figures, const Lookout& lookout) {
  figures.Add(
      Figures::Kind::kGauge, "tunehub_device_drift_ratio",
      "Mean ratio, on the latest day, of the times of a device's defaults to their first times",
      [&lookout](std::vector<Figures::Sample>& samples) {
        for (const DeviceDrift& it : lookout.seen().drift)
          samples.push_back({{{"device", it.device}}, it.days.back().ratio});
      });
}

void AddReplicationMetrics(Figures& figures, const Lookout& lookout) {
  const auto add = [&](const char* sync, std::int64_t Replication::*count) {
    figures.AddGauge(
        "tunehub_database_standbys", "Standbys of the database, if its role may see them",
        [&lookout, count] { return MemberOf(lookout.seen().database.replication, count); },
        {{"sync", sync}});
  };
  add("yes", &Replication::synchronous);
  add("no", &Replication::asynchronous);
  figures.AddGauge("tunehub_database_replication_lag_bytes",
                   "Bytes of WAL that the slowest standby has not applied", [&] {
                     const auto replication = lookout.seen().database.replication;
                     return replication ? replication->lag_bytes : std::nullopt;
                   });
}

void AddFileMetrics(Figures& figures, const Lookout& lookout) {
  figures.AddCounter("tunehub_wal_archived_total", "WAL files that the database has archived", [&] {
    return MemberOf(lookout.seen().database.archive, &WalArchive::archived);
  });
  figures.AddCounter(
      "tunehub_wal_archive_failures_total", "Failed attempts to archive a WAL file",
      [&] { return MemberOf(lookout.seen().database.archive, &WalArchive::failed); });
  figures.AddGauge("tunehub_database_bytes", "Bytes of the database, read once a minute",
                   [&] { return lookout.seen().database_bytes; });
  figures.AddGauge("tunehub_backup_made_seconds",
                   "Time of the last backup, in seconds since 1970; 0: no backup",
                   [&]() -> std::optional<double> {
                     const auto backup = lookout.seen().backup;
                     if (!backup) return std::nullopt;
                     return std::chrono::duration<double>(backup->time_since_epoch()).count();
                   });
  using Space = std::filesystem::space_info;
  figures.AddGauge("tunehub_data_disk_free_bytes", "Free bytes on the embedded database's disk",
                   [&] { return MemberOf(lookout.seen().disk, &Space::available); });
  figures.AddGauge("tunehub_data_disk_bytes", "Size of the embedded database's disk in bytes",
                   [&] { return MemberOf(lookout.seen().disk, &Space::capacity); });
}

}  // namespace

void AddMetrics(Hub& hub, const Lookout& lookout, const http::Listener& listener,
                std::size_t most_connections, const tls::TlsIdentity* identity) {
  Figures& figures = hub.metrics.figures;
  AddRequestMetrics(hub.metrics);
  AddSnapshotMetrics(figures, hub.snapshots);
  AddTableMetrics(figures, hub.tables);
  AddIngestMetrics(figures, hub.ingest.figures());
  AddProcessMetrics(figures);
  figures.AddGauge("tunehub_connections", "Open HTTP connections",
                   [&] { return listener.counters().connections_open; });
  figures.AddGauge("tunehub_connections_limit", "Connections that may be open",
                   [most_connections] { return most_connections; });
  AddPoolMetrics(figures, listener);
  AddRefusalMetrics(hub.metrics, listener);
  if (identity != nullptr) AddTlsMetrics(figures, *identity, listener);
  AddDatabaseMetrics(figures, hub.pool);
  AddQueueMetrics(figures, hub.queue, lookout);
  AddWebhookMetrics(figures, hub.webhook);
  AddDriftMetrics(figures, lookout);
  AddReplicationMetrics(figures, lookout);
  AddFileMetrics(figures, lookout);
}

}  // namespace tunehub::server
