// Jobs by AITER's own tune scripts, on an AMD GPU.
#pragma once

#include "agent/aiter/tuners/aiter_tuner.h"
#include "agent/daemon/script_job_tuner.h"
#include "agent/tuning/aiter_batch.h"
#include "agent/tuning/device/this_device.h"

namespace tunehub::agent::daemon {

class AiterJobTuner : public ScriptJobTuner {
 public:
  // One private tree for all jobs: AITER compiles kernels into it, which takes minutes. `targets`
  // must outlive it. Errors: those of AiterTuner::Open.
  static core::Result<std::unique_ptr<AiterJobTuner>> Open(tuners::AiterOptions options,
                                                           const core::Targets& targets,
                                                           tuning::DeviceInfo device);

  // Benches the defaults, tunes, and benches the winners. When others need the device the script is
  // ended and, once the device is idle, started again; it passes over the shapes that it has
  // finished.
  core::Result<tuning::Summary> Tune(const tuning::TuneTask& task, IdlePace& pace,
                                     tuning::Outbox& outbox, tuning::Observer& observer) override;
  // AITER's scripts cannot time one kernel: the search times all of them again.
  bool measures() const override { return true; }

 private:
  AiterJobTuner(tuners::AiterTuner tuner, const core::Targets& targets, tuning::DeviceInfo device)
      : tuner_(std::move(tuner)), targets_(targets), device_(std::move(device)) {}
  // What AITER's operators take, into the outbox; a bench that fails costs no tuning.
  core::Status Bench(const tuning::AiterContext& context, tuners::AiterStep step,
                     const std::string& tuned, const tuning::TuneTask& task, IdlePace& pace,
                     tuning::Outbox& outbox, tuning::Observer& observer);

  tuners::AiterTuner tuner_;
  const core::Targets& targets_;
  tuning::DeviceInfo device_;
};

}  // namespace tunehub::agent::daemon
