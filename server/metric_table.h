// Every metric of a running server, for /metrics.
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

// Adds the metrics to the hub's metrics. Call it once, before the listener listens. All arguments
// must outlive the hub's metrics. `identity`: null without TLS.
void AddMetrics(Hub& hub, const Lookout& lookout, const http::Listener& listener,
                std::size_t most_connections, const tls::TlsIdentity* identity);

}  // namespace tunehub::server
