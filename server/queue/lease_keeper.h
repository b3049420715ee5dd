// Expires the leases of silent agents. Several servers may do this on one database.
#pragma once

#include "core/base/threads.h"
#include "server/queue/lease_store.h"

namespace tunehub::server {

// A thread that renews all leases after an outage, expires old ones, and deletes old records of the
// queue.
class LeaseKeeper {
 public:
  explicit LeaseKeeper(LeaseStore& leases) : leases_(leases) {}

  void Start() {
    thread_.Start([this] { Keep(); });
  }
  void Stop() { thread_.Stop(); }

 private:
  void Keep();
  // False: the database is gone.
  bool Sweep(bool delete_old);

  LeaseStore& leases_;
  core::WokenThread thread_;
};

}  // namespace tunehub::server
