// What /metrics says of connections, threads and the limits that keep clients apart.
#include <chrono>
#include <cstddef>

#include "server/api/limits.h"
#include "server/gauges.h"
#include "server/http/listener.h"
#include "server/http/worker_pool.h"
#include "server/service/operations/metrics.h"
#include "server/tls/identity.h"

namespace tunehub::server {
namespace {

using service::Figures;

void AddPoolGauges(Figures& figures, const http::Listener& listener) {
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
    for (const Row& row : kRows) {
      figures.AddGauge(row.name, row.help,
                       [&listener, pool, row] {
                         return static_cast<double>(listener.pool(pool).figures().*row.figure);
                       },
                       {{"pool", http::kPoolNames[i]}});
    }
    figures.AddHistogram("tunehub_pool_wait_seconds",
                         "Seconds that requests waited for a thread of a pool",
                         [&listener, pool] { return listener.pool(pool).waits().Read(); },
                         {{"pool", http::kPoolNames[i]}});
  }
}

// Each refusal by the name of its limit: 503 for want of room, 429 for one asker's share.
void AddRefusalGauges(service::Metrics& metrics, const http::Listener& listener) {
  constexpr const char* kName = "tunehub_refusals_total";
  constexpr const char* kHelp = "Requests and connections refused, by the limit that was reached";
  for (std::size_t i = 0; i < http::kRooms; ++i) {
    metrics.figures.AddCounter(
        kName, kHelp,
        [&listener, i] { return static_cast<double>(listener.counters().refused[i]); },
        {{"limit", http::kRoomNames[i]}});
  }
  for (std::size_t i = 0; i < http::kPools; ++i) {
    metrics.figures.AddCounter(
        kName, kHelp,
        [&metrics, i] { return static_cast<double>(metrics.Refused(service::kRateRefusals[i])); },
        {{"limit", api::kLimitNames[i]}});
  }
}

}  // namespace

void AddTransportGauges(service::Metrics& metrics, const http::Listener& listener,
                        std::size_t most_connections) {
  Figures& figures = metrics.figures;
  figures.AddGauge("tunehub_connections", "Open HTTP connections", [&listener] {
    return static_cast<double>(listener.counters().connections_open);
  });
  figures.AddGauge("tunehub_connections_limit", "Connections that may be open",
                   [most_connections] { return static_cast<double>(most_connections); });
  AddPoolGauges(figures, listener);
  AddRefusalGauges(metrics, listener);
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
    metrics.figures.AddGauge(
        "tunehub_tls_handshakes", "TLS handshakes since the start",
        [&listener, it] { return static_cast<double>(listener.counters().*it.count); },
        {{"how", it.how}});
  }
  metrics.figures.AddGauge("tunehub_tls_certificate_expires_seconds",
                           "When the certificate expires, in seconds since 1970", [&identity] {
                             const auto since_1970 = identity.expires().time_since_epoch();
                             return std::chrono::duration<double>(since_1970).count();
                           });
}

}  // namespace tunehub::server
