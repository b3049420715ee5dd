#include "agent/daemon/aiter_job_tuner.h"

#include <fmt/core.h>

#include "agent/tuning/aiter_batch.h"

namespace tunehub::agent::daemon {
namespace {

using tuners::AiterOutcome;

tuning::Summary SummaryOf(const tuning::TuneTask& task, const tuners::AiterReport& report,
                          const std::string& run_key) {
  tuning::Summary summary;
  summary.tuned = report.tuned;
  summary.failed = report.shapes - report.tuned;
  summary.stopped = report.outcome == AiterOutcome::kStopped;
  summary.run_key = run_key;
  for (const auto& shape : task.shapes) {
    tuning::DoneShape& done = summary.shapes.emplace_back();
    done.shape = shape;
    if (report.tuned == 0) {
      done.reason = fmt::format("AITER's script ended with {}, no row", report.ended);
    }
  }
  return summary;
}

}  // namespace

core::Result<std::unique_ptr<AiterJobTuner>> AiterJobTuner::Open(tuners::AiterOptions options,
                                                                 const core::Targets& targets,
                                                                 tuning::DeviceInfo device) {
  auto tuner = tuners::AiterTuner::Open(std::move(options), targets);
  if (!tuner.ok()) return tuner.error();
  return std::unique_ptr<AiterJobTuner>(
      new AiterJobTuner(*std::move(tuner), targets, std::move(device)));
}

core::Result<tuning::Summary> AiterJobTuner::Tune(const tuning::TuneTask& task, IdlePace& pace,
                                                  tuning::Outbox& outbox,
                                                  tuning::Observer& observer) {
  const auto plan = tuner_.Plan(*task.family, tuning::UntunedRows(*task.family, task.shapes));
  if (!plan.ok()) return plan.error();
  const auto new_run =
      tuning::AiterRunOf(tuner_, *plan, device_, devices_, task.arguments, task.campaign);
  if (!new_run.ok()) return new_run.error();
  const auto run = RunWhileIdle<tuners::AiterObserver>(
      [&](const tuners::AiterObserver& watch) { return tuner_.Run(*plan, watch); }, task, pace,
      observer, "others need the GPU: AITER's script was ended and will go on later");
  if (!run.ok() && run.error().code == tuning::kStopped) {
    tuning::Summary stopped;
    stopped.stopped = true;
    return stopped;
  }
  if (!run.ok()) return run.error();
  if (!run->candidates_csv.empty()) {
    const auto status =
        tuning::SpoolCandidates(*task.family, run->candidates_csv, *new_run, outbox);
    if (!status.ok()) return status.error();
  }
  return SummaryOf(task, run->report, new_run->key);
}

}  // namespace tunehub::agent::daemon
