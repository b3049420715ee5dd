// Jobs that people make. Every call may throw Unavailable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/shapes/shape.h"
#include "server/db/writer.h"
#include "server/queue/queue_store.h"
#include "server/snapshots/definitions.h"

namespace tunehub::server {

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

// Errors: idempotency_key_reused; unknown_job where the job of a replay was deleted since.
core::Result<MadeJob> CreateJob(JobStore& jobs, const Definitions& definitions, const NewJob& job,
                                const WriteRequest& write);

}  // namespace tunehub::server
