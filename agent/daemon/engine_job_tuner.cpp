#include "agent/daemon/engine_job_tuner.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/tuning/device/gpu_facts.h"
#include "agent/tuning/engine_batch.h"
#include "core/base/read_json.h"

namespace tunehub::agent::daemon {
namespace {

using engines::EngineRun;
using EngineOutcome = tuners::AiterOutcome;

// Whether the row is of the shape; what the shape leaves open may be anything.
bool IsRowOf(const nlohmann::json& row, const tuning::Columns& shape) {
  return std::ranges::all_of(shape, [&](const auto& it) {
    return it.second.empty() || row.value(it.first, "") == it.second;
  });
}

void CountShapes(const EnginePart& part, const EngineRun& run, tuning::Summary& summary,
                 tuning::Observer& observer) {
  const auto body = core::ReadJson(run.rows);
  for (const tuning::Columns& shape : part.shapes) {
    const bool tuned =
        body.is_object() && std::ranges::any_of(body.at("rows"), [&](const auto& row) {
          return row.value("searched", false) && IsRowOf(row, shape);
        });
    tuning::DoneShape done;
    done.shape = shape;
    if (!tuned) {
      done.reason =
          fmt::format("{} ended with {}, and no row of this key", run.tuner, run.report.ended);
      if (!run.report.remarks.empty()) done.reason += ": " + run.report.remarks.front();
    }
    ++(tuned ? summary.tuned : summary.failed);
    summary.shapes.push_back(done);
    observer.Finished(done);
  }
}

}  // namespace

std::string WhyOtherDevice(const std::string& asked, const tuning::DeviceInfo& device,
                           const core::Devices& devices) {
  const core::Device* const theirs = asked.empty() ? nullptr : devices.Find(asked);
  const core::Device* const ours = tuning::ProductOf(device, devices);
  if (theirs == nullptr || ours == nullptr || theirs == ours) return "";
  return fmt::format("it is of {}, and this is {}", asked, ours->product);
}

void LeftShapes::Add(const std::string& why) {
  if (count_++ == 0) first_ = why;
}

std::string LeftShapes::Text(std::size_t of) const {
  return count_ == 0
             ? ""
             : fmt::format("{} of {} shapes are not for this agent: {}", count_, of, first_);
}

core::Result<EngineRun> EngineJobTuner::RunWhileIdle(const EnginePart& part,
                                                     const tuning::TuneTask& task, IdlePace& pace,
                                                     tuning::Observer& observer) {
  unsigned before = 0;
  const auto disturbed = [&] { return pace.Disturbances() != before; };
  engines::EngineObserver watch;
  watch.note = [&](const std::string& text) { observer.Note(text); };
  watch.stop = [&] { return disturbed() || task.search.stop(); };
  for (;;) {
    do {  // counted before the wait: who comes just after it is seen as well
      before = pace.Disturbances();
      if (auto status = pace.Await(); !status.ok()) return status.error();
    } while (disturbed());
    runs_ = true;
    auto run = part.run(watch);
    runs_ = false;
    const bool given_up = run.ok() && run->report.outcome == EngineOutcome::kStopped && disturbed();
    if (!given_up || task.search.stop()) return run;
    observer.Note("others need the GPU: the engine's tuner was ended and will begin anew later");
  }
}

core::Status EngineJobTuner::Push(const EngineRun& run, const tuning::TuneTask& task,
                                  tuning::Outbox& outbox, tuning::Summary& summary) {
  if (run.rows.empty()) return core::Ok();
  const auto new_run = tuning::EngineRunOf(run, device_, devices_, task.arguments, task.campaign);
  if (!new_run.ok()) return new_run.error();
  summary.run_key = new_run->key;
  return tuning::SpoolRows(run, *new_run, outbox);
}

core::Result<tuning::Summary> EngineJobTuner::Tune(const tuning::TuneTask& task, IdlePace& pace,
                                                   tuning::Outbox& outbox,
                                                   tuning::Observer& observer) {
  const auto parts = jobs_->PartsOf(task);
  if (!parts.ok()) return parts.error();
  tuning::Summary summary;
  summary.left = parts->left;
  for (const EnginePart& part : parts->parts) {
    observer.Begin(summary.shapes.size(), task.shapes.size(), tuning::TextOf(part.shapes.front()),
                   0);
    const auto run = RunWhileIdle(part, task, pace, observer);
    summary.stopped = (!run.ok() && run.error().code == tuning::kStopped) ||
                      (run.ok() && run->report.outcome == EngineOutcome::kStopped);
    if (!run.ok() && !summary.stopped) return run.error();
    if (run.ok()) {
      jobs_->Learn(*run);
      if (auto pushed = Push(*run, task, outbox, summary); !pushed.ok()) return pushed.error();
    }
    if (summary.stopped) return summary;
    CountShapes(part, *run, summary, observer);
  }
  return summary;
}

OwnWork EngineJobTuner::own() const {
  // The scripts are this process's children, which is how a probe knows them.
  return {::getpid(), runs_ ? ::getpid() : 0};
}

}  // namespace tunehub::agent::daemon
