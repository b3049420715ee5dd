// What /metrics says of a running server: read where it is asked for, from memory. What is named
// must outlive the hub's metrics.
#pragma once

#include <cstddef>

namespace tunehub::http {
class Listener;
}
namespace tunehub::service {
class Metrics;
}
namespace tunehub::store {
class Store;
}
namespace tunehub::tls {
class TlsIdentity;
}

namespace tunehub::server {

struct Hub;
class Lookout;

// Snapshots, tables, what was taken in (gauges.cpp).
void AddHubGauges(Hub& hub);
// This process (gauges.cpp).
void AddProcessGauges(service::Metrics& metrics);
// Connections, pools of threads, refusals (transport_gauges.cpp). Read once it listens.
void AddTransportGauges(service::Metrics& metrics, const http::Listener& listener,
                        std::size_t most_connections);
void AddTlsGauges(service::Metrics& metrics, const tls::TlsIdentity& identity,
                  const http::Listener& listener);
// The database and its connections, the queue (database_gauges.cpp).
void AddDatabaseGauges(service::Metrics& metrics, store::Store& store, const Lookout& lookout);

}  // namespace tunehub::server
