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

struct Hub;
class Lookout;

// Snapshots, tables, what was taken in; this process; connections, pools of threads, refusals.
// Read once the listener listens. `identity`: null where there is no TLS.
void AddGauges(Hub& hub, const http::Listener& listener, std::size_t most_connections,
               const tls::TlsIdentity* identity);
// The database and its connections, the queue (lookout.cpp).
void AddDatabaseGauges(Hub& hub, const Lookout& lookout);

}  // namespace tunehub::server
