#include "server/gauges.h"

#include <chrono>
#include <cstddef>

#include "server/api/app.h"
#include "server/hub.h"
#include "server/service/queue/queue_keeper.h"
#include "server/tls/identity.h"

namespace tunehub::server {

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
  metrics.AddGauge("tunehub_past_bytes", "Bytes of old revisions in memory: answers and rows", [&] {
    return static_cast<double>(tables.past_counters().bytes + tables.past_row_counters().bytes);
  });
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

void AddTlsGauges(service::Metrics& metrics, const tls::TlsIdentity& identity,
                  const http::Listener& listener) {
  struct Handshakes {
    const char* how;
    std::size_t http::Counters::*count;
  };
  constexpr Handshakes kHandshakes[] = {{"whole", &http::Counters::handshakes},
                                        {"resumed", &http::Counters::handshakes_resumed},
                                        {"failed", &http::Counters::handshakes_failed}};
  for (const Handshakes& it : kHandshakes) {
    metrics.AddGauge("tunehub_tls_handshakes", "TLS handshakes since the start",
                     [&listener, it] { return static_cast<double>(listener.counters().*it.count); },
                     {{"how", it.how}});
  }
  metrics.AddGauge("tunehub_tls_certificate_expires_seconds",
                   "When the certificate expires, in seconds since 1970", [&identity] {
                     const auto since_1970 = identity.expires().time_since_epoch();
                     return std::chrono::duration<double>(since_1970).count();
                   });
}

}  // namespace tunehub::server
