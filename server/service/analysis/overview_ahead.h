// Makes the overview before anybody asks for it: the start page must not wait until every model's
// shapes are looked up in tables that have just been imported.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "server/service/analysis/overview.h"

namespace tunehub::service {

class OverviewAhead {
 public:
  explicit OverviewAhead(Overview& overview) : overview_(overview) {}
  OverviewAhead(const OverviewAhead&) = delete;
  OverviewAhead& operator=(const OverviewAhead&) = delete;
  ~OverviewAhead() { Stop(); }

  void Start();
  void Stop();
  void Wake();  // something was committed

 private:
  void Run();

  Overview& overview_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false, woken_ = true;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace tunehub::service
