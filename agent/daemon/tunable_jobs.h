// Jobs of PyTorch's TunableOp: a shape's operator and parameters are all that it asks.
#pragma once

#include "agent/daemon/engine_job_tuner.h"
#include "agent/engines/tunable_tuner.h"

namespace tunehub::agent::daemon {

class TunableJobs : public EngineJobs {
 public:
  // `devices` must outlive it.
  TunableJobs(engines::TunableSettings settings, const core::Devices& devices,
              tuning::DeviceInfo device)
      : EngineJobs(OwnDevice(std::move(device), devices)), settings_(std::move(settings)) {}

  // PyTorch tells its validators with the results of a GEMM, and not before: one of the job's.
  std::optional<EnginePart> FirstRun(const tuning::TuneTask& task) override;
  // A job that names validators is for whoever has these.
  core::Result<EngineParts> PartsOf(const tuning::TuneTask& task) override;
  void Learn(const engines::EngineRun& run) override;

 private:
  // Whatever the validators.
  std::string WhyNever(const tuning::Columns& shape) const;
  std::string WhyNot(const tuning::Columns& shape) const;
  EnginePart PartOf(std::vector<tuning::Columns> shapes) const;

  engines::TunableSettings settings_;
  std::string validators_;                // of the last run; "": none has told
  std::optional<tuning::Columns> first_;  // of the job at hand: what FirstRun tunes
};

}  // namespace tunehub::agent::daemon
