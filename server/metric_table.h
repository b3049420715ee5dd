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

// Puts them into the hub's metrics, once, before the listener listens. All must outlive the hub's
// metrics. `identity`: null where there is no TLS.
void AddMetrics(Hub& hub, const Lookout& lookout, const http::Listener& listener,
                std::size_t most_connections, const tls::TlsIdentity* identity);

}  // namespace tunehub::server
