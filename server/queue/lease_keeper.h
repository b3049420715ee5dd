// Expires the leases of agents without a heartbeat. Several servers may do this on one database.
#pragma once

#include "core/base/threads.h"
#include "server/queue/lease_store.h"

namespace tunehub::server {

// A thread that renews all leases after an outage, expires old leases, and deletes old rows
// (server/db/retention.h).
class LeaseKeeper {
 public:
  LeaseKeeper(LeaseStore& leases, ConnectionPool& pool, std::size_t retention_days)
      : leases_(leases), pool_(pool), retention_days_(retention_days) {}

  void Start() {
    thread_.Start([this] { Keep(); });
  }
  void Stop() { thread_.Stop(); }

 private:
  void Keep();
  // Returns false if the database cannot be reached.
  bool Sweep(bool delete_old);

  LeaseStore& leases_;
  ConnectionPool& pool_;
  const std::size_t retention_days_;
  bool more_ = false;  // old rows remain
  core::WokenThread thread_;
};

}  // namespace tunehub::server
