#include "agent/daemon/builtin_tuner.h"

#include <unistd.h>

#include "agent/tuning/device/paced_device.h"
#include "agent/tuning/repeat.h"

namespace tunehub::agent::daemon {

core::Result<tuning::Summary> BuiltinTuner::Tune(const tuning::TuneTask& task, IdlePace& pace,
                                                 tuning::Outbox& outbox,
                                                 tuning::Observer& observer) {
  tuning::PacedDevice device(worker_, pace);
  const auto once = [&](const tuning::TuneTask& run) {
    auto summary = tuning::TuneShapes(configuration_, run, device, spool_, outbox, &hub_, observer);
    worker_.Interrupt();  // its memory is for others until the next job; runs begin alike
    return summary;
  };
  return task.purpose == tuning::Purpose::kKnown ? tuning::MeasureUntilSettled(task, once, observer)
                                                 : once(task);
}

OwnWork BuiltinTuner::own() const {
  return {::getpid(), worker_.pid()};
}

}  // namespace tunehub::agent::daemon
