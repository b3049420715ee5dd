#include "agent/daemon/engine_job_tuner.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

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

// The rows of this device once more under the other names of it that the shapes ask by: its files
// are found by them.
void AddAskedNames(const EnginePart& part, const OwnDevice& device, EngineRun& run) {
  auto body = core::ReadJson(run.rows);
  if (!body.is_object()) return;
  const std::size_t told = body.at("rows").size();
  for (tuning::Columns shape : part.shapes) {
    const std::string asked = shape["device"];
    if (!device.IsOtherName(asked)) continue;
    shape["device"] = run.device;
    for (std::size_t i = 0; i < told; ++i) {
      nlohmann::json row = body["rows"][i];
      if (!IsRowOf(row, shape)) continue;
      row["device"] = asked;
      body["rows"].push_back(std::move(row));
      ++run.measured;
    }
  }
  if (body["rows"].size() > told) run.rows = body.dump();
}

// What has become of a shape: who tuned it, or why nobody did.
tuning::DoneShape DoneOf(const tuning::Columns& shape, const nlohmann::json& body,
                         const EngineRun& run) {
  tuning::DoneShape done;
  done.shape = shape;
  const bool tuned = body.is_object() && std::ranges::any_of(body.at("rows"), [&](const auto& row) {
                       return row.value("searched", false) && IsRowOf(row, shape);
                     });
  if (tuned) {
    done.tuned_by = run.tuner;
    return done;
  }
  done.reason =
      fmt::format("{} ended with {}, and no row of this key", run.tuner, run.report.ended);
  if (!run.report.remarks.empty()) done.reason += ": " + run.report.remarks.front();
  return done;
}

void CountShapes(const std::vector<tuning::Columns>& shapes, const EngineRun& run,
                 tuning::Summary& summary, tuning::Observer& observer) {
  const auto body = core::ReadJson(run.rows);
  for (const tuning::Columns& shape : shapes) {
    const tuning::DoneShape done = DoneOf(shape, body, run);
    ++(done.reason.empty() ? summary.tuned : summary.failed);
    summary.shapes.push_back(done);
    observer.Finished(done);
  }
}

}  // namespace

void LeftShapes::Add(const std::string& why) {
  if (count_++ == 0) first_ = why;
}

std::string LeftShapes::Text(std::size_t of) const {
  return count_ == 0
             ? ""
             : fmt::format("{} of {} shapes are not for this agent: {}", count_, of, first_);
}

core::Status EngineJobTuner::Push(const EngineRun& run, const tuning::TuneTask& task,
                                  tuning::Outbox& outbox, tuning::Summary& summary) {
  if (run.rows.empty()) return core::Ok();
  const auto new_run = tuning::EngineRunOf(run, device_, devices_, task.arguments, task.campaign);
  if (!new_run.ok()) return new_run.error();
  summary.run_key = new_run->key;
  return tuning::SpoolRows(run, *new_run, outbox);
}

// A shape of a device that turned out to be another is not this agent's, and has not failed.
void EngineJobTuner::DropOthers(EnginePart& part, LeftShapes& left) const {
  std::erase_if(part.shapes, [&](const tuning::Columns& shape) {
    const auto device = shape.find("device");
    const std::string why = device == shape.end() ? "" : jobs_->device().WhyOther(device->second);
    if (!why.empty()) left.Add(why);
    return !why.empty();
  });
}

// Runs it and keeps what it found. The outcome: kStopped where it was to end.
core::Result<EngineRun> EngineJobTuner::Take(const EnginePart& part, const tuning::TuneTask& task,
                                             IdlePace& pace, tuning::Outbox& outbox,
                                             tuning::Observer& observer, tuning::Summary& summary) {
  auto run = RunWhileIdle<engines::EngineObserver>(
      part.run, task, pace, observer,
      "others need the GPU: the engine's tuner was ended and will begin anew later");
  if (!run.ok() && run.error().code == tuning::kStopped) {
    EngineRun stopped;
    stopped.report.outcome = EngineOutcome::kStopped;
    return stopped;
  }
  if (!run.ok()) return run;
  jobs_->device().Learn(run->device);
  jobs_->Learn(*run);
  AddAskedNames(part, jobs_->device(), *run);
  if (auto pushed = Push(*run, task, outbox, summary); !pushed.ok()) return pushed.error();
  return run;
}

core::Result<tuning::Summary> EngineJobTuner::Tune(const tuning::TuneTask& task, IdlePace& pace,
                                                   tuning::Outbox& outbox,
                                                   tuning::Observer& observer) {
  tuning::Summary summary;
  EngineRun first_run;
  if (const auto first = jobs_->FirstRun(task)) {
    auto run = Take(*first, task, pace, outbox, observer, summary);
    if (!run.ok()) return run.error();
    summary.stopped = run->report.outcome == EngineOutcome::kStopped;
    if (summary.stopped) return summary;
    first_run = *std::move(run);
  }
  auto parts = jobs_->PartsOf(task);
  if (!parts.ok()) return parts.error();
  CountShapes(parts->tuned, first_run, summary, observer);
  LeftShapes& left = parts->left;
  for (EnginePart& part : parts->parts) {
    DropOthers(part, left);
    if (part.shapes.empty()) continue;
    observer.Begin(summary.shapes.size(), task.shapes.size(), tuning::TextOf(part.shapes.front()),
                   0);
    const auto run = Take(part, task, pace, outbox, observer, summary);
    if (!run.ok()) return run.error();
    summary.stopped = run->report.outcome == EngineOutcome::kStopped;
    if (summary.stopped) break;
    DropOthers(part, left);
    CountShapes(part.shapes, *run, summary, observer);
  }
  summary.left = left.Text(task.shapes.size());
  return summary;
}

}  // namespace tunehub::agent::daemon
