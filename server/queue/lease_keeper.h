// Lets leases expire: those of agents that are silent. Any number of servers may do so on one
// database.
#pragma once

#include "core/base/threads.h"
#include "server/queue/lease_store.h"

namespace tunehub::server {

// A thread that looks after the leases: they begin anew after an outage, expired ones go back.
// Old records of the queue go, too.
class LeaseKeeper {
 public:
  explicit LeaseKeeper(LeaseStore& leases) : leases_(leases) {}

  void Start() {
    thread_.Start([this] { Keep(); });
  }
  void Stop() { thread_.Stop(); }

 private:
  void Keep();
  // True where it could.
  bool Sweep(bool delete_old);

  LeaseStore& leases_;
  core::WokenThread thread_;
};

}  // namespace tunehub::server
