#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <memory>

#include "build_info.h"
#include "core/base/process.h"
#include "core/base/rfc3339.h"
#include "server/app.h"
#include "server/command.h"
#include "server/hub.h"
#include "server/ingest/definition_store.h"
#include "server/insight/overview.h"
#include "server/keys/signing_key_store.h"
#include "server/leave_root.h"
#include "server/log/log.h"
#include "server/lookout.h"
#include "server/metric_table.h"
#include "server/queue/lease_keeper.h"
#include "server/stopping.h"
#include "server/tls/identity.h"

namespace tunehub::server {
namespace {

constexpr std::size_t kKeptFiles =
    700;  // 512 files of bodies (http/memory_file.cpp), refused connections, others
constexpr std::size_t kFewestConnections = 16;

// Raises the process's limit of open files to the highest allowed value. Returns the limit.
std::size_t RaiseDescriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlimit raised{.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
  if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  return limit.rlim_cur;
}

// Returns the number of connections: `wanted`, or fewer if open files are needed for the database,
// the log and tables in memory. Logs the result.
std::size_t FitConnections(std::size_t wanted, std::size_t descriptors) {
  const std::size_t free =
      descriptors > 2 * kKeptFiles ? descriptors - kKeptFiles : descriptors / 2;
  const std::size_t fitted = std::max(std::min(wanted, free), kFewestConnections);
  if (fitted >= wanted) {
    spdlog::info("up to {} connections (limit of open files: {})", fitted, descriptors);
  } else {
    spdlog::warn(
        "up to {} connections instead of {}, because the limit of open files is {} (LimitNOFILE)",
        fitted, wanted, descriptors);
  }
  return fitted;
}

// how long it takes to notice that PostgreSQL has ended
constexpr std::chrono::milliseconds kWatchPause{200};
constexpr int kHeapEvery = 10;  // rounds between two checks of the heap

int FailServing(const core::Error& error) {
  spdlog::error("{}: {}", error.code, error.detail);
  return kFailed;
}

using Tls = std::shared_ptr<tls::TlsIdentity>;  // null: plain HTTP

void Remark(const tls::TlsIdentity& identity) {
  for (const std::string& it : identity.remarks()) spdlog::warn("{}", it);
}

core::Result<Tls> LoadTls(const Settings& settings) {
  if (settings.tls_certificate.empty()) return Tls();
  auto identity = tls::TlsIdentity::Load({settings.tls_certificate, settings.tls_key});
  if (identity.ok()) Remark(**identity);
  return identity;
}

void ReloadTls(const Tls& identity) {
  if (identity == nullptr)
    return spdlog::info("SIGHUP: there is nothing to reload, because TLS is off");
  const auto reloaded = identity->Reload();
  if (!reloaded.ok()) {
    return spdlog::error("{}: {}; the server keeps its earlier certificate", reloaded.error().code,
                         reloaded.error().detail);
  }
  const bool same = *reloaded == tls::TlsIdentity::Reloaded::kSame;
  spdlog::info("SIGHUP: loaded the certificate ({}), which is valid until {}",
               same ? "unchanged" : "a new one", core::UtcText(identity->expires()));
  Remark(*identity);
}

// Waits while the server still serves everything, so that load balancers can move its clients to
// another server. A second signal ends the wait.
void BeLameDuck(const Settings& settings, const Signals& signals) {
  const auto until = std::chrono::steady_clock::now() + settings.lame_duck;
  while (std::chrono::steady_clock::now() < until && signals.Wait(kWatchPause) != Told::kStop) {
  }
}

// Waits for a stop signal. Meanwhile reloads the certificate on SIGHUP, restarts an embedded
// PostgreSQL that died, and returns freed heap memory to the system.
void Watch(embedded::Cluster* cluster, const Signals& signals, const Tls& identity) {
  core::HeapKeeper heap;
  for (int round = 1;; ++round) {
    const Told told = signals.Wait(kWatchPause);
    if (round % kHeapEvery == 0) heap.Look();
    if (told == Told::kStop) return;
    if (told == Told::kReload) ReloadTls(identity);
    if (cluster == nullptr || cluster->Alive()) continue;
    if (const auto status = cluster->Restart(); !status.ok()) {
      spdlog::error("{}: {}", status.error().code, status.error().detail);
    }
  }
}

// Stops the snapshots' thread before the destruction of objects that it wakes, even if a later part
// fails to start.
class Following {
 public:
  explicit Following(Snapshots& snapshots) : snapshots_(snapshots) { snapshots_.Start(); }
  ~Following() { snapshots_.Stop(); }
  Following(const Following&) = delete;
  Following& operator=(const Following&) = delete;

 private:
  Snapshots& snapshots_;
};

int Run(const Settings& settings, bool migrate, Database& database, const Signals& signals,
        const Tls& identity) {
  ConnectionPool pool(database.url, {.size = settings.database_connections});
  if (const auto ready = PrepareSchema(pool, migrate || database.cluster != nullptr); !ready.ok())
    return FailServing(ready.error());
  const auto definitions = LoadDefinitions(settings.configs, pool,
                                           migrate ? OtherFile::kTaken : OtherFile::kOlderServes);
  if (!definitions.ok()) return FailServing(definitions.error());
  DefinitionStore(pool).ApplyConfirmFactor(settings.confirm_factor);
  auto signing_key = LoadSigningKey(pool, settings.signing_key);
  if (!signing_key.ok()) return FailServing(signing_key.error());
  Hub hub(settings, pool, *definitions, *std::move(signing_key));
  if (migrate || database.cluster != nullptr) {
    if (const auto read = ReadUnlistedAgain(hub); !read.ok()) return FailServing(read.error());
  }
  LeaseKeeper keeper(hub.queue.leases, pool, settings.retention_days);
  OverviewAhead overview_ahead(hub.overview);
  Lookout lookout(pool, database.cluster != nullptr ? settings.data : std::filesystem::path(),
                  BackupsOf(settings));
  hub.keys.Start();
  hub.snapshots.OnChange([&] {
    hub.keys.Wake();
    overview_ahead.Wake();
    hub.trends.keeper().Wake();
  });
  const Following following(hub.snapshots);
  overview_ahead.Start();
  hub.trends.keeper().Start();
  App app(hub, settings);
  http::ListenerOptions options = settings.listener;
  options.tls = identity;
  options.limits.connections = FitConnections(options.limits.connections, RaiseDescriptors());
  options.limits.drain_deadline =
      std::max(settings.drain - settings.lame_duck, std::chrono::milliseconds(0));
  core::WokenThread statements_end;
  http::Callbacks callbacks = app.callbacks();
  callbacks.drained = [&] { EndStatements(pool, statements_end); };
  http::Listener listener(options, std::move(callbacks));
  AddMetrics(hub, lookout, listener, options.limits.connections, identity.get());
  lookout.Start();
  if (const auto status = listener.Start(); !status.ok()) return FailServing(status.error());
  spdlog::info("tunehub {} listens on {}://{}:{}/ at revision {}", TUNEHUB_VERSION,
               identity != nullptr ? "https" : "http", settings.listener.host, listener.port(),
               hub.snapshots.Current()->revision.number);
  keeper.Start();
  hub.webhook.Start();
  Watch(database.cluster.get(), signals, identity);
  EndWithin(settings.drain + kAfterDrain);
  if (database.cluster != nullptr) database.cluster->AnnounceStop();
  spdlog::info("stopping");
  hub.stopping = true;
  BeLameDuck(settings, signals);
  listener.Stop();
  keeper.Stop();
  hub.webhook.Stop();
  lookout.Stop();
  hub.snapshots.Stop();
  overview_ahead.Stop();
  hub.trends.keeper().Stop();
  hub.keys.Stop();
  return 0;
}

}  // namespace

int Serve(const Settings& settings, bool migrate) {
  core::SettleHeap();
  const Signals signals;
  std::signal(SIGPIPE, SIG_IGN);
  if (const auto left = LeaveRoot(settings); !left.ok()) return FailServing(left.error());
  log::WaitForNoReader();
  const auto identity = LoadTls(settings);
  if (!identity.ok()) return FailServing(identity.error());
  auto database = OwnDatabase(settings);
  if (!database.ok()) return FailServing(database.error());
  try {
    return Run(settings, migrate, *database, signals, *identity);
  } catch (const std::exception& error) {
    spdlog::error("{}", error.what());
    return kFailed;
  }
}

}  // namespace tunehub::server
