// Plans jobs that verify served rows, for agents without other work. Every call may throw
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
  // `hours`: the limit for all devices of a target per day; 0: verifies nothing.
  Verifier(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
           int hours)
      : definitions_(definitions), pool_(pool), snapshots_(snapshots), hours_(hours) {}

  bool enabled() const { return hours_ > 0; }
  // Plans one job for due rows (JobStore::PlanDue). Returns false if no row is due, or if the day's
  // hours are used up. Then the verifier waits for kVerifyPause before it searches again.
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
