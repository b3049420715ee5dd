// What the queue needs done from time to time: leases begin anew after an outage, expired ones go
// back, old records go. Any number
// of servers may do so on one database.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "server/store/store.h"

namespace tunehub::service {

class QueueKeeper {
 public:
  explicit QueueKeeper(store::Store& store) : store_(store) {}
  QueueKeeper(const QueueKeeper&) = delete;
  QueueKeeper& operator=(const QueueKeeper&) = delete;
  ~QueueKeeper() { Stop(); }

  void Start();
  void Stop();

 private:
  void Keep();
  // True where it could.
  bool Sweep(bool delete_old);

  store::Store& store_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace tunehub::service
