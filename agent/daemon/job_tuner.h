// What tunes a job: tunehub's own kernels, AITER's scripts, or another engine's tuner.
#pragma once

#include "agent/daemon/idle_pace.h"
#include "agent/hub/outbox.h"
#include "agent/tuning/tune_shapes.h"

namespace tunehub::agent::daemon {

class JobTuner {
 public:
  virtual ~JobTuner() = default;

  // Measures the shapes of `task` while `pace` lets it; what was measured is in `outbox` when it
  // returns. Errors: no_device, disk_full, spool_full, file_unwritable and what is the job's own
  // fault; a stop is none.
  virtual core::Result<tuning::Summary> Tune(const tuning::TuneTask& task, IdlePace& pace,
                                             tuning::Outbox& outbox,
                                             tuning::Observer& observer) = 0;
  // Whether it also measures known candidates (Purpose::kKnown).
  virtual bool measures() const { return false; }
  // Gives the device back at once; from any thread.
  virtual void GiveUp() = 0;
  // What of the device's load is this tuner's; from any thread.
  virtual OwnWork own() const = 0;
};

}  // namespace tunehub::agent::daemon
