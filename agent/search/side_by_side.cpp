#include "agent/search/side_by_side.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <mutex>
#include <optional>
#include <thread>

namespace tunehub::agent {
namespace {

// The one observer of all sides, which is told one thing at a time.
struct Shared {
  Observer& next;
  const std::size_t total;  // shapes of all sides
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

  // Of a side that ended with an error: what it had done by then.
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

std::vector<Columns> ShareOf(const std::vector<Columns>& shapes, std::size_t share,
                             std::size_t count) {
  std::vector<Columns> out;
  for (std::size_t i = share; i < shapes.size(); i += count) out.push_back(shapes[i]);
  return out;
}

core::Result<Summary> TuneSideBySide(const Configuration& configuration,
                                     const std::vector<Side>& sides, const Spool& spool,
                                     Observer& observer) {
  std::size_t total = 0;
  for (const Side& side : sides) total += side.task.shapes.size();
  Shared shared{observer, total};
  std::deque<SideObserver> observers;
  std::vector<std::optional<core::Result<Summary>>> results(sides.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < sides.size(); ++i) {
      SideObserver& own = observers.emplace_back(shared);
      threads.emplace_back([&, i] {
        const Side& side = sides[i];
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
