// Jobs as people see them: made, listed, tried again. Every call may throw Unavailable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/shapes/shape.h"
#include "server/service/queue/records.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/write.h"
#include "server/store/store.h"

namespace tunehub::service {

// A job that somebody asks for by its shapes.
struct NewJob {
  const core::Family* family = nullptr;
  std::string purpose = kTune;
  core::Target target;  // of any CU count, or of one
  int priority = 0;
  std::string campaign;  // "": none
  std::vector<core::FamilyShape> shapes;
};

struct MadeJob {
  JobRecord job;
  bool replayed = false;  // its idempotency key was known: it was made before
};

// Seconds until what is queued and running is done, at the pace of the last day: its shapes per
// second since the first of them was handed out. Nothing where none was done in it, or none waits.
std::optional<double> SecondsToEmpty(const QueueOfTarget& queue);

class Jobs {
 public:
  Jobs(const Definitions& definitions, store::Store& store)
      : definitions_(definitions), store_(store) {}

  // Errors: idempotency_key_reused; unknown_job where the job of a replay was deleted since.
  core::Result<MadeJob> Create(const NewJob& job, const WriteRequest& write);
  // Error unknown_job.
  core::Result<JobRecord> Find(std::int64_t id) const;
  // The newest first.
  std::vector<JobRecord> List(const JobFilter& filter) const;
  QueueState State() const;
  // A parked job is queued again. Errors: unknown_job, not_parked.
  core::Result<JobRecord> Retry(std::int64_t id, const store::Writer& by);

 private:
  const Definitions& definitions_;
  store::Store& store_;
};

}  // namespace tunehub::service
