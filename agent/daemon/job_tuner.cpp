#include "agent/daemon/job_tuner.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ostream>

#include "agent/device/worker_device.h"
#include "agent/engines/script_command.h"
#include "agent/tune/commands.h"
#include "core/analysis/statistics.h"
#include "core/base/rfc3339.h"
#include "kernels/cpu/catalog.h"

namespace tunehub::agent {
namespace {

// Medians of the runs, by shape and candidate.
class Times {
 public:
  void Add(const std::vector<DoneShape>& shapes) {
    for (const DoneShape& shape : shapes) {
      for (const Measurement& it : shape.measurements) {
        if (!it.competes()) continue;
        runs_[TextOf(shape.shape)][TextOf(it.candidate)].push_back(Median(it.samples));
      }
    }
  }

  bool Agree(const Columns& shape) const {
    const auto found = runs_.find(TextOf(shape));
    if (found == runs_.end()) return true;  // no candidate could be timed
    return std::ranges::all_of(found->second, [](const auto& candidate) {
      const auto settled = analysis::Settle(candidate.second);
      return settled && settled->stable;
    });
  }

 private:
  std::map<std::string, std::map<std::string, std::vector<double>>> runs_;
};

// Later runs measure the candidates of the first run, since the hub's ranking changes with each
// run.
std::vector<TunedRow> MeasuredRows(const std::vector<DoneShape>& shapes) {
  std::vector<TunedRow> rows;
  for (const DoneShape& done : shapes) {
    for (const Measurement& it : done.measurements) {
      TunedRow& row = rows.emplace_back();
      row.shape = done.shape;
      row.candidate = it.candidate;
    }
  }
  return rows;
}

// Measures the shapes of `task` (Purpose::kKnown) by calls of `once`. Each call is a separate run
// at the hub. First runs all shapes kEnoughRuns times (core/analysis/statistics.h). Then repeats
// the shapes whose runs disagree, up to kMostRuns runs. Returns the first run's counts and shapes,
// and the last run's key. Errors: the first error of `once`.
core::Result<Summary> MeasureUntilSettled(
    const TuneTask& task, const std::function<core::Result<Summary>(const TuneTask&)>& once,
    Observer& observer) {
  Times times;
  Summary total;
  TuneTask run = task;
  for (std::size_t n = 1; n <= analysis::kMostRuns; ++n) {
    run.label = fmt::format("{}, run {}", task.label, n);
    run.journal = task.journal;
    run.journal += fmt::format(".{}", n);
    auto summary = once(run);
    if (!summary.ok()) return summary.error();
    times.Add(summary->shapes);
    if (n == 1) {
      total = *summary;
      run.tuned = MeasuredRows(summary->shapes);
    }
    total.run_key = summary->run_key;
    total.stopped = summary->stopped;
    if (total.stopped) return total;
    if (n < analysis::kEnoughRuns) continue;
    std::erase_if(run.shapes, [&](const Columns& shape) { return times.Agree(shape); });
    observer.Note(fmt::format("{} runs: {} of {} shapes agree", n,
                              task.shapes.size() - run.shapes.size(), task.shapes.size()));
    if (run.shapes.empty()) break;
  }
  return total;
}

// The families that this device can tune.
std::vector<std::string> DeviceFamilies(const TuneOptions& options,
                                        const std::vector<std::string>& wanted,
                                        const Bench& bench) {
  std::vector<std::string> families;
  const auto& all = bench.configuration.families.all();
  if (options.tuner == kAiter) {
    for (const auto& family : all) {
      if (VariantOf(family->tune_script) != nullptr) families.push_back(family->name);
    }
    return families;
  }
  if (options.ByEngine()) {
    const std::string tuned = EngineFamily(options);
    if (bench.configuration.families.Find(tuned) != nullptr) families.push_back(tuned);
    return families;
  }
  WorkerDevice worker(WorkerFor(bench.configuration, options.worker, bench.device));
  for (const auto& family : all) {
    // A user's own worker may have kernels of other families.
    const bool ours = std::ranges::count(kernels::CoveredFamilies(), family->name) > 0;
    const bool named = std::ranges::count(wanted, family->name) > 0;
    if (!ours && (options.worker.empty() || !named)) continue;
    const auto kernels = worker.Kernels(family->name);
    // If a worker cannot list its kernels, this assumes that it has some.
    if (!kernels.ok() || !kernels->empty()) families.push_back(family->name);
  }
  return families;
}

}  // namespace

core::Result<Summary> BuiltinTuner::Tune(const TuneTask& task, IdlePace& pace, Outbox& outbox,
                                         Observer& observer) {
  PacedDevice device(worker_, pace);
  const auto once = [&](const TuneTask& run) {
    auto summary = TuneShapes(configuration_, run, device, spool_, outbox, &hub_, observer);
    worker_.Interrupt();  // frees the worker's memory; the next run starts cold
    return summary;
  };
  return task.purpose == Purpose::kKnown ? MeasureUntilSettled(task, once, observer) : once(task);
}

OwnWork BuiltinTuner::own() const {
  return {::getpid(), worker_.pid()};
}

core::Result<std::vector<std::string>> FamiliesOf(const TuneOptions& options,
                                                  const std::vector<std::string>& wanted,
                                                  const Bench& bench) {
  std::vector<std::string> there = DeviceFamilies(options, wanted, bench);
  const std::string names = fmt::format("{}", fmt::join(there, ", "));
  for (const std::string& name : wanted) {
    if (std::ranges::count(there, name) > 0) continue;
    return core::Error{
        "unknown_family",
        fmt::format("--family {}: this device cannot tune this family; it can tune {}", name,
                    names.empty() ? "no family" : names)};
  }
  return wanted.empty() ? there : wanted;
}

JobObserver::JobObserver(const Job& job, Lease& lease, StatusFile& status, std::ostream& out,
                         bool json, std::function<void()> look)
    : job_(job),
      lease_(lease),
      status_(status),
      out_(out),
      json_(json),
      look_(std::move(look)),
      progress_(json ? nullptr : &out, {.terminal = ::isatty(STDERR_FILENO) == 1}) {
  lease_.SetProgress(0, job.shapes.size());
}

void JobObserver::Begin(std::size_t index, std::size_t total, const std::string& shape,
                        std::size_t candidates) {
  status_.Set({{"doing", "tuning"},
               {"job", job_.id},
               {"family", job_.family},
               {"shape", shape},
               {"done", done_},
               {"total", total}});
  look_();
  progress_.Begin(index, total, shape, candidates);
}

void JobObserver::Screened(const Measurement& measurement) {
  look_();
  progress_.Screened(measurement);
}

void JobObserver::Finished(const DoneShape& done) {
  // A job to measure repeats each shape. The number of repetitions depends on the times.
  done_ = std::min(done_ + 1, job_.shapes.size());
  lease_.SetProgress(done_, job_.shapes.size());
  if (json_) {
    nlohmann::ordered_json json = {{"time", core::UtcText(std::chrono::system_clock::now())}};
    json.update(ToJson(done));
    json["job"] = job_.id;
    out_ << json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
  }
  look_();
  progress_.Finished(done);
}

}  // namespace tunehub::agent
