// Jobs by AITER's own tune scripts, on an AMD GPU.
#pragma once

#include <atomic>

#include "agent/aiter/tuners/aiter_tuner.h"
#include "agent/daemon/job_tuner.h"
#include "agent/tuning/device/this_device.h"

namespace tunehub::agent::daemon {

class AiterJobTuner : public JobTuner {
 public:
  // One private tree for all jobs: AITER compiles kernels into it, which takes minutes. `targets`
  // must outlive it. Errors: those of AiterTuner::Open.
  static core::Result<std::unique_ptr<AiterJobTuner>> Open(tuners::AiterOptions options,
                                                           const core::Targets& targets,
                                                           tuning::DeviceInfo device);

  // When others need the device the script is ended and, once the device is idle, started again;
  // it passes over the shapes that it has finished.
  core::Result<tuning::Summary> Tune(const tuning::TuneTask& task, IdlePace& pace,
                                     tuning::Outbox& outbox, tuning::Observer& observer) override;
  void GiveUp() override {}  // a run looks at the pace itself, every tenth of a second
  OwnWork own() const override;

 private:
  AiterJobTuner(tuners::AiterTuner tuner, const core::Targets& targets, tuning::DeviceInfo device)
      : tuner_(std::move(tuner)), devices_(targets.devices()), device_(std::move(device)) {}
  core::Result<tuners::AiterRun> RunWhileIdle(const tuners::AiterPlan& plan,
                                              const tuning::TuneTask& task, IdlePace& pace,
                                              tuning::Observer& observer);

  tuners::AiterTuner tuner_;
  const core::Devices& devices_;
  tuning::DeviceInfo device_;
  std::atomic<bool> runs_{false};
};

}  // namespace tunehub::agent::daemon
