// Demand becomes jobs when somebody is there to do them: a claim that finds no job plans what was
// asked for by its target, once for each change of the demand.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "server/service/queue/planner.h"

namespace tunehub::service {

class DemandPlanner {
 public:
  DemandPlanner(store::Store& store, Planner& planner) : store_(store), planner_(planner) {}

  // True where there are new jobs. `families`: those that the agent can tune. A shape that any job
  // held before is left out: what was tried and is not tuned still, is not tried for ever.
  bool Plan(const core::Target& target, const std::vector<const core::Family*>& families);

 private:
  struct Seen {
    std::string newest;  // the demand that the last plan knew
    std::chrono::steady_clock::time_point asked;
  };
  // The newest demand of the target where it is worth a plan; "" where it is not.
  std::string Changed(const std::string& name, const core::Target& target);

  store::Store& store_;
  Planner& planner_;
  std::mutex mutex_;
  std::map<std::string, Seen> seen_;  // by target and families; guarded by mutex_
};

}  // namespace tunehub::service
