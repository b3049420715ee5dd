// What the queue needs done from time to time: leases begin anew after an outage, expired ones go
// back, old records go. Any number of servers may do so on one database.
#pragma once

#include "core/system/woken_thread.h"
#include "server/store/store.h"

namespace tunehub::service {

class QueueKeeper {
 public:
  explicit QueueKeeper(store::Store& store) : store_(store) {}
  QueueKeeper(const QueueKeeper&) = delete;
  QueueKeeper& operator=(const QueueKeeper&) = delete;
  ~QueueKeeper() { Stop(); }

  void Start();
  void Stop() { thread_.Stop(); }

 private:
  void Keep();
  // True where it could.
  bool Sweep(bool delete_old);

  store::Store& store_;
  core::WokenThread thread_;
};

}  // namespace tunehub::service
