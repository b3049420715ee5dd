#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>

#include "agent/search/device_spread.h"
#include "agent/search/hub_tables.h"
#include "agent/search/tuning_bench.h"
#include "core/base/hash.h"

namespace tunehub::agent {
namespace {

constexpr std::size_t kJournalDigits = 12;
constexpr std::size_t kKnownCandidates = 4;  // candidates of a shape that are measured again

// The hub only gives hints, so two tries are enough.
RetryPolicy AskOnce(const TuneTask& task) {
  return {.tries = 2, .stop = task.search.stop};
}

// Returns the hub's tuned rows. Passes the rows of requested shapes, which are not measured, to the
// observer.
std::vector<TunedRow> HubRows(const Configuration& configuration, const TuneTask& task,
                              HubClient* hub, Observer& observer) {
  if (hub == nullptr || task.purpose != Purpose::kTune) return {};
  HubTables tables(*hub, *task.family, configuration.targets, AskOnce(task));
  auto tuned = tables.Tuned(task.target, "tunehub");
  if (!tuned.ok()) {
    observer.Note("the hub did not list its tuned rows: " + tuned.error().detail);
    return {};
  }
  if (task.all) return *std::move(tuned);
  std::set<std::string> asked;
  for (const Columns& shape : task.shapes) asked.insert(TextOf(shape));
  std::vector<TunedRow> known;
  for (const TunedRow& row : *tuned) {
    if (asked.contains(TextOf(row.shape))) known.push_back(row);
  }
  observer.Known(known);
  return *std::move(tuned);
}

// Adds each shape's fastest candidates; slower ones cannot cause a regression of the served row.
void AddKnown(const TuneTask& task, HubTables& tables, Incumbents& incumbents) {
  for (const Columns& shape : task.shapes) {
    Ranking ranking = tables.Ranked(task.target, shape);
    ranking.resize(std::min(ranking.size(), kKnownCandidates));
    incumbents[TextOf(shape)] = std::move(ranking);
  }
}

}  // namespace

void NameJob(const TuneTask& task, NewRun& run) {
  if (task.job > 0) run.provenance["job"] = task.job;
}

namespace {

core::Result<NewRun> RunOf(const TuneTask& task, const core::Devices& devices) {
  DeviceInfo device = task.device;
  device.target = task.target;
  std::vector<std::string> members = DeviceMembers(device, devices);
  members.insert(members.end(),
                 {"tuner=tunehub builtin", "provider=tunehub", "compiler=g++ " __VERSION__,
                  "error_limit=" + nlohmann::json(task.search.error_limit).dump()});
  auto run = NewRunOf(
      std::move(members),
      {{"arguments", task.arguments}, {"campaign", task.campaign}, {"note", task.device.clocks}});
  if (run.ok()) NameJob(task, *run);
  return run;
}

// The observer of all devices. The mutex lets it receive one event at a time.
struct Shared {
  Observer& next;
  const std::size_t total;  // number of shapes of all devices
  std::mutex mutex = {};
  std::size_t begun = 0;
};

class SideObserver : public Observer {
 public:
  explicit SideObserver(Shared& shared) : shared_(shared) {}

  void Begin(std::size_t, std::size_t, const std::string& shape, std::size_t candidates) override {
    const std::lock_guard lock(shared_.mutex);
    shared_.next.Begin(shared_.begun++, shared_.total, shape, candidates);
  }
  void Screened(const Measurement& measurement) override {
    const std::lock_guard lock(shared_.mutex);
    shared_.next.Screened(measurement);
  }
  void Finished(const DoneShape& done) override {
    finished_.Count(done);
    const std::lock_guard lock(shared_.mutex);
    shared_.next.Finished(done);
  }
  void Known(const std::vector<TunedRow>& rows) override {
    const std::lock_guard lock(shared_.mutex);
    shared_.next.Known(rows);
  }
  void Note(const std::string& text) override {
    const std::lock_guard lock(shared_.mutex);
    shared_.next.Note(text);
  }
  core::Status status() const override {
    const std::lock_guard lock(shared_.mutex);
    return shared_.next.status();
  }

  // The results so far, if the device's session ended with an error.
  Summary finished() const { return finished_; }

 private:
  Shared& shared_;
  Summary finished_;
};

void AddSummary(Summary&& part, Summary& all) {
  all.tuned += part.tuned;
  all.skipped += part.skipped;
  all.unsupported += part.unsupported;
  all.failed += part.failed;
  all.stopped = all.stopped || part.stopped;
  if (all.run_key.empty()) all.run_key = std::move(part.run_key);
  std::move(part.shapes.begin(), part.shapes.end(), std::back_inserter(all.shapes));
}

}  // namespace

std::filesystem::path JournalPath(const std::filesystem::path& state, const TuneTask& task,
                                  const std::string& arguments) {
  std::string text = fmt::format("{}\n{}\n{}\n{}\n", task.family->name, task.target.gfx,
                                 task.target.cu_num, arguments);
  for (const Columns& shape : task.shapes) text += TextOf(shape) + "\n";
  return state / fmt::format("{}-{}.journal", task.family->name,
                             core::Sha256Hex(text).substr(0, kJournalDigits));
}

core::Result<Summary> TuneShapes(const Configuration& configuration, const TuneTask& task,
                                 TuningDevice& device, const Spool& spool, Outbox& outbox,
                                 HubClient* hub, Observer& observer) {
  Neighbours neighbours;
  Incumbents incumbents;
  std::vector<TunedRow> known = task.tuned;
  std::ranges::move(HubRows(configuration, task, hub, observer), std::back_inserter(known));
  for (const TunedRow& row : known) {
    incumbents[TextOf(row.shape)].push_back(row.candidate);
    neighbours.AddWinner(row.shape, row.candidate);
  }
  std::optional<HubTables> tables;
  if (hub != nullptr) {
    tables.emplace(*hub, *task.family, configuration.targets, AskOnce(task));
    neighbours.SetFetch([&](const Columns& shape) { return tables->Ranked(task.target, shape); });
    if (task.purpose == Purpose::kKnown && task.tuned.empty()) AddKnown(task, *tables, incumbents);
  }
  const auto run = RunOf(task, configuration.targets.devices());
  if (!run.ok()) return run.error();
  SessionOptions options = task;
  options.spool = spool.folder();
  DeviceSpread spread(task.journal.parent_path(), task.device);
  options.spread = spread.share();
  Session session(device, outbox, neighbours, observer, std::move(options));
  auto summary = session.Run(task.shapes, incumbents, *run);
  if (!summary.ok()) return summary;
  for (const DoneShape& done : summary->shapes) spread.Add(task.family->name, done);
  if (const auto saved = spread.Save(); !saved.ok()) observer.Note(saved.error().detail);
  return summary;
}

std::vector<Columns> ShareOf(const std::vector<Columns>& shapes, std::size_t share,
                             std::size_t count) {
  std::vector<Columns> out;
  for (std::size_t i = share; i < shapes.size(); i += count) out.push_back(shapes[i]);
  return out;
}

core::Result<Summary> TuneSideBySide(const Configuration& configuration,
                                     const std::vector<DeviceSide>& sides, const Spool& spool,
                                     Observer& observer) {
  std::size_t total = 0;
  for (const DeviceSide& side : sides) total += side.task.shapes.size();
  Shared shared{observer, total};
  std::deque<SideObserver> observers;
  std::vector<std::optional<core::Result<Summary>>> results(sides.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < sides.size(); ++i) {
      SideObserver& own = observers.emplace_back(shared);
      threads.emplace_back([&, i] {
        const DeviceSide& side = sides[i];
        results[i].emplace(
            TuneShapes(configuration, side.task, side.device, spool, side.outbox, side.hub, own));
      });
    }
  }
  Summary all;
  std::size_t lost = 0;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    core::Result<Summary>& result = *results[i];
    if (result.ok()) {
      AddSummary(*std::move(result), all);
      continue;
    }
    ++lost;
    Summary done = observers[i].finished();
    done.failed += sides[i].task.shapes.size() - done.shapes.size();
    AddSummary(std::move(done), all);
    observer.Note(sides[i].name + ": " + result.error().detail);
  }
  if (lost == sides.size()) return results.front()->error();
  return all;
}

}  // namespace tunehub::agent
