#include "agent/tuning/repeat.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "core/analysis/settle.h"

namespace tunehub::agent::tuning {
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
    if (found == runs_.end()) return true;  // nothing could be timed, and will not be
    return std::ranges::all_of(found->second, [](const auto& candidate) {
      const auto settled = analysis::Settle(candidate.second);
      return settled && settled->stable;
    });
  }

 private:
  std::map<std::string, std::map<std::string, std::vector<double>>> runs_;
};

// What the first run measured, for the later ones: the order of the hub's candidates changes with
// each run.
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

}  // namespace

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

}  // namespace tunehub::agent::tuning
