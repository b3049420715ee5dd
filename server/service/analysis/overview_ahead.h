// Makes the overview before anybody asks for it: the start page must not wait until every model's
// shapes are looked up in tables that have just been imported.
#pragma once

#include "core/system/woken_thread.h"
#include "server/service/analysis/overview.h"

namespace tunehub::service {

class OverviewAhead {
 public:
  explicit OverviewAhead(Overview& overview) : overview_(overview) {}
  OverviewAhead(const OverviewAhead&) = delete;
  OverviewAhead& operator=(const OverviewAhead&) = delete;
  ~OverviewAhead() { Stop(); }

  void Start();
  void Stop() { thread_.Stop(); }
  void Wake() { thread_.Wake(); }  // something was committed

 private:
  void Run();

  Overview& overview_;
  core::WokenThread thread_;
};

}  // namespace tunehub::service
