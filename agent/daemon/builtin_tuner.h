// Jobs by tunehub's own kernels, in a worker process.
#pragma once

#include "agent/daemon/job_tuner.h"
#include "agent/hub/hub_client.h"

namespace tunehub::agent::daemon {

class BuiltinTuner : public JobTuner {
 public:
  // The first three must outlive it; `hub` is used by Tune, in its thread.
  BuiltinTuner(const Configuration& configuration, const Spool& spool, HubClient& hub,
               tuning::WorkerOptions worker)
      : configuration_(configuration), spool_(spool), hub_(hub), worker_(std::move(worker)) {}

  core::Result<tuning::Summary> Tune(const tuning::TuneTask& task, IdlePace& pace,
                                     tuning::Outbox& outbox, tuning::Observer& observer) override;
  bool measures() const override { return true; }
  void GiveUp() override { worker_.Interrupt(); }
  OwnWork own() const override;

 private:
  const Configuration& configuration_;
  const Spool& spool_;
  HubClient& hub_;
  tuning::WorkerDevice worker_;
};

}  // namespace tunehub::agent::daemon
