// What /metrics says of a running server: read where it is asked for, from memory. What is named
// must outlive the hub's metrics.
#pragma once

#include <cstddef>

namespace tunehub::http {
class Listener;
}
namespace tunehub::tls {
class TlsIdentity;
}

namespace tunehub::server {

class ConnectionPool;
struct Hub;
class Leases;
class Lookout;
class Metrics;

// Snapshots, tables, what was taken in.
void AddHubGauges(Hub& hub);
// This process.
void AddProcessGauges(Metrics& metrics);
// Connections, pools of threads, refusals. Read once it listens.
void AddTransportGauges(Metrics& metrics, const http::Listener& listener,
                        std::size_t most_connections);
void AddTlsGauges(Metrics& metrics, const tls::TlsIdentity& identity,
                  const http::Listener& listener);
// The database and its connections, the queue (lookout.cpp).
void AddDatabaseGauges(Metrics& metrics, const ConnectionPool& pool, const Leases& leases,
                       const Lookout& lookout);

}  // namespace tunehub::server
