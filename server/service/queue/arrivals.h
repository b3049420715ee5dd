// Hands out of a job what is still to be tuned of it: a shape whose results arrived meanwhile, from
// an agent that lost its lease or from anybody else, is not tuned again.
#pragma once

#include <optional>

#include "core/shapes/shape.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/snapshots.h"
#include "server/store/store.h"

namespace tunehub::service {

class Arrivals {
 public:
  Arrivals(const Definitions& definitions, store::Store& store, const Snapshots& snapshots)
      : definitions_(definitions), store_(store), snapshots_(snapshots) {}

  // As store::QueueStore::Claim; its shapes are those whose results have not arrived. A job of
  // which all arrived is completed, and the next is looked for. A job to measure is handed out as
  // it is.
  std::optional<store::JobRecord> Claim(const store::Claimant& claimant);

 private:
  // The job's shapes but those whose results arrived. JSON, as the job's.
  std::string NotArrived(const store::JobRecord& job, const core::Target& target) const;

  const Definitions& definitions_;
  store::Store& store_;
  const Snapshots& snapshots_;
};

}  // namespace tunehub::service
