// Plans jobs that verify served rows for agents that have nothing else to do. Every call may throw
// Unavailable.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/row/target.h"
#include "server/db/connection_pool.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

class Verifier {
 public:
  // `hours`: of all devices of a target, a day; 0: none.
  Verifier(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
           int hours)
      : definitions_(definitions), pool_(pool), snapshots_(snapshots), hours_(hours) {}

  // Plans one job of rows that are due (JobStore::PlanDue). False: none are, or the day's hours are
  // spent; then it does not look again for kVerifyPause.
  bool Plan(const core::Target& target, const std::vector<const core::Family*>& families);

 private:
  using Clock = std::chrono::steady_clock;

  bool PlanDue(const core::Target& target, const std::vector<const core::Family*>& families);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  const Snapshots& snapshots_;
  const int hours_;
  std::mutex mutex_;
  std::map<std::pair<std::string, int>, Clock::time_point> rests_;  // guarded by mutex_
};

}  // namespace tunehub::server
