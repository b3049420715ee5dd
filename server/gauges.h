// What /metrics says of a running server: read where it is asked for.
#pragma once

namespace tunehub::http {
class Listener;
}
namespace tunehub::service {
class Metrics;
class QueueKeeper;
}  // namespace tunehub::service
namespace tunehub::tls {
class TlsIdentity;
}

namespace tunehub::server {

struct Hub;

// What is named must outlive the hub's metrics.
void AddGauges(Hub& hub, const http::Listener& listener);
void AddJobGauges(service::Metrics& metrics, service::QueueKeeper& keeper);
void AddTlsGauges(service::Metrics& metrics, const tls::TlsIdentity& identity,
                  const http::Listener& listener);

}  // namespace tunehub::server
