#include "agent/daemon/aiter_job_tuner.h"

#include <fmt/core.h>

#include "core/system/atomic_file.h"

namespace tunehub::agent::daemon {
namespace {

using tuners::AiterOutcome;
using tuners::AiterStep;

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

core::Status AiterJobTuner::Bench(const tuning::AiterContext& context, AiterStep step,
                                  const std::string& tuned, const tuning::TuneTask& task,
                                  IdlePace& pace, tuning::Outbox& outbox,
                                  tuning::Observer& observer) {
  const auto table = context.plan.untuned.parent_path() / ("winners_" + task.family->file);
  if (step == AiterStep::kBenchAfter) {
    if (auto written = core::WriteAtomically(table, tuned); !written.ok()) return written;
  }
  const auto bench = RunWhileIdle<tuners::AiterObserver>(
      [&](const tuners::AiterObserver& watch) {
        return step == AiterStep::kBenchBefore ? tuner_.BenchBefore(context.plan, watch)
                                               : tuner_.BenchAfter(context.plan, table, watch);
      },
      task, pace, observer, "others need the GPU: AITER's bench was ended and will begin anew");
  if (!bench.ok() && bench.error().code == tuning::kStopped)
    return core::Ok();  // the tuner sees it
  std::string why;
  if (bench.ok()) {
    const auto spooled = tuning::SpoolBench(context, bench->timings, step, tuned, outbox);
    if (!spooled.ok()) return spooled.error();
    why = spooled->why;
  } else {
    why = bench.error().detail;
  }
  if (!why.empty()) observer.Note("no time of AITER's operators: " + why);
  return core::Ok();
}

core::Result<tuning::Summary> AiterJobTuner::Tune(const tuning::TuneTask& task, IdlePace& pace,
                                                  tuning::Outbox& outbox,
                                                  tuning::Observer& observer) {
  const auto plan = tuner_.Plan(*task.family, tuning::UntunedRows(*task.family, task.shapes));
  if (!plan.ok()) return plan.error();
  const tuning::AiterContext context{tuner_,   *plan,          device_,
                                     targets_, task.arguments, task.campaign};
  const auto new_run = tuning::AiterRunOf(context, AiterStep::kTune);
  if (!new_run.ok()) return new_run.error();
  auto status = Bench(context, AiterStep::kBenchBefore, "", task, pace, outbox, observer);
  if (!status.ok()) return status.error();
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
    status = tuning::SpoolCandidates(*task.family, run->candidates_csv, *new_run, outbox);
    if (!status.ok()) return status.error();
  }
  if (!run->tuned_csv.empty() && run->report.outcome != AiterOutcome::kStopped) {
    status = Bench(context, AiterStep::kBenchAfter, run->tuned_csv, task, pace, outbox, observer);
    if (!status.ok()) return status.error();
  }
  return SummaryOf(task, run->report, new_run->key);
}

}  // namespace tunehub::agent::daemon
