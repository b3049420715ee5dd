#include "agent/daemon/script_job_tuner.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/read_json.h"

namespace tunehub::agent {
namespace {

Summary SummaryOf(const TuneTask& task, const ScriptReport& report, const std::string& run_key) {
  Summary summary;
  summary.tuned = report.tuned;
  summary.failed = report.shapes - report.tuned;
  summary.stopped = report.outcome == ScriptOutcome::kEnded;
  summary.run_key = run_key;
  for (const auto& shape : task.shapes) {
    DoneShape& done = summary.shapes.emplace_back();
    done.shape = shape;
    if (report.tuned == 0) {
      done.reason = fmt::format("AITER's script ended with {} and wrote no row", report.ended);
    }
  }
  return summary;
}

// True if the row belongs to the shape. An empty cell of the shape matches any value.
bool IsRowOf(const nlohmann::json& row, const Columns& shape) {
  return std::ranges::all_of(shape, [&](const auto& it) {
    return it.second.empty() || row.value(it.first, "") == it.second;
  });
}

// Repeats this device's rows under its other names in the shapes, since engines find files by name.
void AddAskedNames(const EnginePart& part, const OwnDevice& device, EngineRun& run) {
  auto body = core::ReadJson(run.rows);
  if (!body.is_object()) return;
  const std::size_t told = body.at("rows").size();
  for (Columns shape : part.shapes) {
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

// Returns the result of a shape: the tuner that tuned it, or why nobody tuned it.
DoneShape DoneOf(const Columns& shape, const nlohmann::json& body, const EngineRun& run) {
  DoneShape done;
  done.shape = shape;
  const bool tuned = body.is_object() && std::ranges::any_of(body.at("rows"), [&](const auto& row) {
                       return row.value("searched", false) && IsRowOf(row, shape);
                     });
  if (tuned) {
    done.tuned_by = run.tuner;
    return done;
  }
  done.reason =
      fmt::format("{} ended with {}, and wrote no row for this shape", run.tuner, run.report.ended);
  if (!run.report.remarks.empty()) done.reason += ": " + run.report.remarks.front();
  return done;
}

void CountShapes(const std::vector<Columns>& shapes, const EngineRun& run, Summary& summary,
                 Observer& observer) {
  const auto body = core::ReadJson(run.rows);
  for (const Columns& shape : shapes) {
    const DoneShape done = DoneOf(shape, body, run);
    ++(done.reason.empty() ? summary.tuned : summary.failed);
    summary.shapes.push_back(done);
    observer.Finished(done);
  }
}

}  // namespace

void OwnDevice::Learn(const std::string& name) {
  if (!name.empty()) told_ = name;
}

bool OwnDevice::IsTold(const std::string& asked) const {
  if (asked == told_) return true;
  const core::Device* const theirs = devices_.Find(asked);
  const core::Device* const named = devices_.Find(told_);
  // If `told_` names no known device, the driver's product decides.
  return theirs != nullptr && theirs == (named != nullptr ? named : ProductOf(device_, devices_));
}

bool OwnDevice::IsOtherName(const std::string& asked) const {
  return !asked.empty() && !told_.empty() && asked != told_ && IsTold(asked);
}

std::string OwnDevice::WhyOther(const std::string& asked) const {
  if (asked.empty()) return "";
  if (!told_.empty()) {
    return IsTold(asked) ? ""
                         : fmt::format("the shape is for {}, but this device is {}", asked, told_);
  }
  const core::Device* const theirs = devices_.Find(asked);
  const core::Device* const ours = ProductOf(device_, devices_);
  if (theirs == nullptr || ours == nullptr || theirs == ours) return "";
  return fmt::format("the shape is for {}, but this device is {}", asked, ours->product);
}

core::Status AiterJobTuner::Bench(AiterContext& context, AiterStep step, const std::string& tuned,
                                  const TuneTask& task, IdlePace& pace, Outbox& outbox,
                                  Observer& observer) {
  const auto table = context.plan.untuned.parent_path() / ("winners_" + task.family->file);
  if (step == AiterStep::kBenchAfter) {
    if (auto written = core::WriteAtomically(table, tuned); !written.ok()) return written;
  }
  const auto bench = RunWhileIdle<AiterObserver>(
      [&](const AiterObserver& watch) {
        const bool after = step == AiterStep::kBenchAfter;
        return tuner_.Bench(context.plan, step, after ? table : std::filesystem::path(), watch);
      },
      task, pace, observer,
      "others need the GPU: the agent ended AITER's bench and will start it again");
  if (!bench.ok() && bench.error().code == kStopped) return core::Ok();  // Tune() sees the stop
  std::string why;
  if (bench.ok()) {
    if (step == AiterStep::kBenchBefore) {
      context.defaults = DefaultTimesOf(*task.family, bench->timings, device_.target);
    }
    const auto spooled = SpoolBench(context, bench->timings, step, tuned, outbox);
    if (!spooled.ok()) return spooled.error();
    why = spooled->why;
  } else {
    why = bench.error().detail;
  }
  if (!why.empty()) observer.Note("AITER's bench reported no time: " + why);
  return core::Ok();
}

core::Result<Summary> AiterJobTuner::Tune(const TuneTask& task, IdlePace& pace, Outbox& outbox,
                                          Observer& observer) {
  const auto plan = tuner_.Plan(*task.family, UntunedRows(*task.family, task.shapes));
  if (!plan.ok()) return plan.error();
  AiterContext context{tuner_, *plan, device_, targets_, task.arguments, task.campaign};
  auto new_run = AiterRunOf(context, AiterStep::kTune);
  if (!new_run.ok()) return new_run.error();
  NameJob(task, *new_run);
  auto status = Bench(context, AiterStep::kBenchBefore, "", task, pace, outbox, observer);
  if (!status.ok()) return status.error();
  const auto run = RunWhileIdle<AiterObserver>(
      [&](const AiterObserver& watch) { return tuner_.Run(*plan, watch); }, task, pace, observer,
      "others need the GPU: the agent ended AITER's script and will continue it later");
  if (!run.ok() && run.error().code == kStopped) {
    Summary stopped;
    stopped.stopped = true;
    return stopped;
  }
  if (!run.ok()) return run.error();
  if (!run->candidates_csv.empty()) {
    status = SpoolCandidates(context, run->candidates_csv, *new_run, outbox);
    if (!status.ok()) return status.error();
  }
  if (!run->tuned_csv.empty() && run->report.outcome != ScriptOutcome::kEnded) {
    status = Bench(context, AiterStep::kBenchAfter, run->tuned_csv, task, pace, outbox, observer);
    if (!status.ok()) return status.error();
  }
  return SummaryOf(task, run->report, new_run->key);
}

std::string LeftShapes::Text(std::size_t of) const {
  return count_ == 0
             ? ""
             : fmt::format("this agent cannot tune {} of {} shapes: {}", count_, of, first_);
}

core::Status EngineJobTuner::Push(const EngineRun& run, const TuneTask& task, Outbox& outbox,
                                  Summary& summary) {
  if (run.rows.empty()) return core::Ok();
  const OwnDevice& device = jobs_->device();
  auto new_run = EngineRunOf(run, device.info(), device.all(), task.arguments, task.campaign);
  if (!new_run.ok()) return new_run.error();
  NameJob(task, *new_run);
  summary.run_key = new_run->key;
  return SpoolRows(run, *new_run, outbox);
}

// Drops another device's shapes without counting them as failed.
void EngineJobTuner::DropOthers(EnginePart& part, LeftShapes& left) const {
  std::erase_if(part.shapes, [&](const Columns& shape) {
    const auto device = shape.find("device");
    const std::string why = device == shape.end() ? "" : jobs_->device().WhyOther(device->second);
    if (!why.empty()) left.Add(why);
    return !why.empty();
  });
}

// Runs the part and spools its rows. After a stop, the report's outcome is kEnded.
core::Result<EngineRun> EngineJobTuner::Take(const EnginePart& part, const TuneTask& task,
                                             IdlePace& pace, Outbox& outbox, Observer& observer,
                                             Summary& summary) {
  auto run = RunWhileIdle<EngineObserver>(
      part.run, task, pace, observer,
      "others need the GPU: the agent ended the engine's tuner and will start it again later");
  if (!run.ok() && run.error().code == kStopped) {
    EngineRun stopped;
    stopped.report.outcome = ScriptOutcome::kEnded;
    return stopped;
  }
  if (!run.ok()) return run;
  jobs_->device().Learn(run->device);
  jobs_->Learn(*run);
  AddAskedNames(part, jobs_->device(), *run);
  if (auto pushed = Push(*run, task, outbox, summary); !pushed.ok()) return pushed.error();
  return run;
}

core::Result<Summary> EngineJobTuner::Tune(const TuneTask& task, IdlePace& pace, Outbox& outbox,
                                           Observer& observer) {
  Summary summary;
  EngineRun first_run;
  if (const auto first = jobs_->FirstRun(task)) {
    auto run = Take(*first, task, pace, outbox, observer, summary);
    if (!run.ok()) return run.error();
    summary.stopped = run->report.outcome == ScriptOutcome::kEnded;
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
    observer.Begin(summary.shapes.size(), task.shapes.size(), TextOf(part.shapes.front()), 0);
    const auto run = Take(part, task, pace, outbox, observer, summary);
    if (!run.ok()) return run.error();
    summary.stopped = run->report.outcome == ScriptOutcome::kEnded;
    if (summary.stopped) break;
    DropOthers(part, left);
    CountShapes(part.shapes, *run, summary, observer);
  }
  summary.left = left.Text(task.shapes.size());
  return summary;
}

}  // namespace tunehub::agent
