#include "agent/daemon/builtin_tuner.h"

#include <unistd.h>

#include "agent/tuning/paced_device.h"

namespace tunehub::agent::daemon {

core::Result<tuning::Summary> BuiltinTuner::Tune(const tuning::TuneTask& task, IdlePace& pace,
                                                 tuning::Outbox& outbox,
                                                 tuning::Observer& observer) {
  tuning::PacedDevice device(worker_, pace);
  auto summary = tuning::TuneShapes(configuration_, task, device, spool_, outbox, &hub_, observer);
  worker_.Interrupt();  // its memory is for others until the next job
  return summary;
}

OwnWork BuiltinTuner::own() const {
  return {::getpid(), worker_.pid()};
}

}  // namespace tunehub::agent::daemon
