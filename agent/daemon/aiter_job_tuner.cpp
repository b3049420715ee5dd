#include "agent/daemon/aiter_job_tuner.h"

#include <fmt/core.h>
#include <unistd.h>

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

core::Result<tuners::AiterRun> AiterJobTuner::RunWhileIdle(const tuners::AiterPlan& plan,
                                                           const tuning::TuneTask& task,
                                                           IdlePace& pace,
                                                           tuning::Observer& observer) {
  unsigned before = 0;
  const auto disturbed = [&] { return pace.Disturbances() != before; };
  tuners::AiterObserver watch;
  watch.note = [&](const std::string& text) { observer.Note(text); };
  watch.stop = [&] { return disturbed() || task.search.stop(); };
  for (;;) {
    do {  // counted before the wait: who comes just after it is seen as well
      before = pace.Disturbances();
      if (auto status = pace.Await(); !status.ok()) return status.error();
    } while (disturbed());
    runs_ = true;
    auto run = tuner_.Run(plan, watch);
    runs_ = false;
    const bool given_up = run.ok() && run->report.outcome == AiterOutcome::kStopped && disturbed();
    if (!given_up || task.search.stop()) return run;
    observer.Note("others need the GPU: AITER's script was ended and will go on later");
  }
}

core::Result<tuning::Summary> AiterJobTuner::Tune(const tuning::TuneTask& task, IdlePace& pace,
                                                  tuning::Outbox& outbox,
                                                  tuning::Observer& observer) {
  const auto plan = tuner_.Plan(*task.family, tuning::UntunedRows(*task.family, task.shapes));
  if (!plan.ok()) return plan.error();
  const auto new_run =
      tuning::AiterRunOf(tuner_, *plan, device_, devices_, task.arguments, task.campaign);
  if (!new_run.ok()) return new_run.error();
  const auto run = RunWhileIdle(*plan, task, pace, observer);
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

OwnWork AiterJobTuner::own() const {
  // The scripts are this process's children, which is how a probe knows them.
  return {::getpid(), runs_ ? ::getpid() : 0};
}

}  // namespace tunehub::agent::daemon
