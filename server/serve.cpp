#include "server/serve.h"

#include <spdlog/spdlog.h>

#include <csignal>
#include <ctime>

#include "build_info.h"
#include "server/api/app.h"
#include "server/database.h"
#include "server/definitions.h"
#include "server/hub.h"
#include "server/service/queue/queue_keeper.h"

namespace tunehub::server {
namespace {

constexpr std::time_t kWatchSeconds = 0;
constexpr long kWatchNanoseconds = 200'000'000;  // how soon a dead PostgreSQL is noticed

int FailServing(const core::Error& error) {
  spdlog::error("{}: {}", error.code, error.detail);
  return 1;
}

sigset_t StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

// Waits for a stop; meanwhile a PostgreSQL of our own that died is brought back.
void Watch(embedded::Cluster* cluster, const sigset_t& signals) {
  const timespec pause{kWatchSeconds, kWatchNanoseconds};
  for (;;) {
    if (sigtimedwait(&signals, nullptr, &pause) > 0) return;
    if (cluster == nullptr || cluster->Alive()) continue;
    if (const auto status = cluster->Restart(); !status.ok()) {
      spdlog::error("{}: {}", status.error().code, status.error().detail);
    }
  }
}

void AddGauges(Hub& hub, const http::Listener& listener) {
  service::Metrics& metrics = hub.metrics;
  const service::Snapshots& snapshots = hub.snapshots;
  const service::TunedTables& tables = hub.tables;
  metrics.AddGauge("tunehub_revision", "The registry's revision in memory",
                   [&] { return static_cast<double>(snapshots.Current()->revision.number); });
  metrics.AddGauge("tunehub_database_reachable", "1, or 0 while reads come from the last snapshot",
                   [&] { return snapshots.stale() ? 0.0 : 1.0; });
  metrics.AddGauge("tunehub_cache_bytes", "Bytes of tables in the cache",
                   [&] { return static_cast<double>(tables.counters().bytes); });
  metrics.AddGauge("tunehub_cache_hits", "Tables found in the cache since the start",
                   [&] { return static_cast<double>(tables.counters().hits); });
  metrics.AddGauge("tunehub_cache_misses", "Tables made since the start",
                   [&] { return static_cast<double>(tables.counters().misses); });
  metrics.AddGauge("tunehub_connections", "Open HTTP connections",
                   [&] { return static_cast<double>(listener.counters().connections_open); });
  metrics.AddGauge("tunehub_requests_rejected_busy", "Requests answered 503 for want of room",
                   [&] { return static_cast<double>(listener.counters().rejected_busy); });
}

void AddJobGauges(service::Metrics& metrics, service::QueueKeeper& keeper) {
  struct State {
    const char* name;
    std::int64_t store::JobCounts::*count;
  };
  constexpr State kStates[] = {{"queued", &store::JobCounts::queued},
                               {"running", &store::JobCounts::running},
                               {"done", &store::JobCounts::done},
                               {"parked", &store::JobCounts::parked}};
  for (const State& state : kStates) {
    metrics.AddGauge("tunehub_jobs", "Jobs by state; done ones until they are deleted",
                     [&keeper, state] { return static_cast<double>(keeper.Counts().*state.count); },
                     {{"state", state.name}});
  }
}

int Run(const Settings& settings, bool migrate, Database& database, const sigset_t& signals) {
  store::Store store(database.url,
                     {.connections = settings.database_connections, .queue = settings.queue});
  if (const auto ready = PrepareSchema(store, migrate || database.cluster != nullptr); !ready.ok())
    return FailServing(ready.error());
  const auto definitions = LoadDefinitions(settings.configs, store, migrate);
  if (!definitions.ok()) return FailServing(definitions.error());
  Hub hub(settings, store, *definitions);
  service::QueueKeeper keeper(store);
  hub.keys.Start();
  hub.snapshots.OnChange([&] { hub.keys.Wake(); });
  hub.snapshots.Start();
  api::App app(hub.Services(settings));
  http::ListenerOptions options;
  options.host = settings.listen_host;
  options.port = settings.listen_port;
  options.reactors = settings.reactors;
  options.workers = settings.workers;
  options.limits.body_bytes = settings.body_bytes;
  options.limits.header_deadline = settings.header_deadline;
  options.limits.body_deadline = settings.body_deadline;
  http::Listener listener(options, app.callbacks());
  AddGauges(hub, listener);
  AddJobGauges(hub.metrics, keeper);
  if (const auto status = listener.Start(); !status.ok()) return FailServing(status.error());
  spdlog::info("tunehub {} listens on http://{}:{}/ at revision {}", TUNEHUB_VERSION,
               settings.listen_host, listener.port(), hub.snapshots.Current()->revision.number);
  keeper.Start();
  Watch(database.cluster.get(), signals);
  spdlog::info("stopping");
  listener.Stop();
  keeper.Stop();
  hub.snapshots.Stop();
  hub.keys.Stop();
  return 0;
}

}  // namespace

int Serve(const Settings& settings, bool migrate) {
  // Before any thread is made, so that all inherit it: the main thread alone takes these signals.
  const sigset_t signals = StopSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  auto database = OwnDatabase(settings);
  if (!database.ok()) return FailServing(database.error());
  try {
    return Run(settings, migrate, *database, signals);
  } catch (const std::exception& error) {
    spdlog::error("{}", error.what());
    return 1;
  }
}

}  // namespace tunehub::server
