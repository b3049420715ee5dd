#include "agent/daemon/daemon.h"

#include <algorithm>
#include <iterator>
#include <ostream>
#include <thread>

#include "agent/daemon/job_observer.h"
#include "agent/tuning/shapes.h"
#include "agent/tuning/stop_signal.h"

namespace tunehub::agent::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// The hub wants a sign of life at least every minute.
constexpr std::chrono::seconds kAnnounceAfter{30};
// How soon a signal is noticed.
constexpr milliseconds kNap{50};
constexpr const char* kWaiting = "waiting: ";
// Between two tries to deliver the results of a job that is otherwise done.
constexpr milliseconds kDeliveryPause{2'000};

// No waiting cures these: a hub without a queue, a key that is not good for it, a full disk.
bool IsFatal(const core::Error& error) {
  constexpr const char* kFatal[] = {"unauthorized",    "wrong_scope", "forbidden",
                                    tuning::kNoDevice, "disk_full",   "spool_full",
                                    "file_unwritable"};
  return std::find(std::begin(kFatal), std::end(kFatal), error.code) != std::end(kFatal);
}

}  // namespace

bool Daemon::MustStop() const {
  return tuning::StopRequested() || (lease_ != nullptr && lease_->lost());
}

void Daemon::Sleep(milliseconds pause) const {
  const auto until = steady_clock::now() + pause;
  while (!MustStop() && steady_clock::now() < until) {
    std::this_thread::sleep_for(
        std::min<steady_clock::duration>(kNap, until - steady_clock::now()));
  }
}

void Daemon::Announce(const std::string& doing) {
  const auto now = steady_clock::now();
  if (doing == doing_ && now - announced_ < kAnnounceAfter) return;
  // Once when the waiting begins and once when it ends, whatever the load does in between.
  if (doing.starts_with(kWaiting) != doing_.starts_with(kWaiting) && !options_.json) {
    parts_.out << (doing.starts_with(kWaiting) ? doing : "the device is idle") << std::endl;
  }
  doing_ = doing;
  announced_ = now;
  parts_.status.Set({{"doing", doing},
                     {"job", nullptr},
                     {"family", nullptr},
                     {"shape", nullptr},
                     {"done", nullptr},
                     {"total", nullptr},
                     {"waiting", parts_.spool.Waiting().size()}});
  const auto registered = parts_.queue.Register(doing);
  parts_.status.Set({{"hub_error", registered.ok() ? "" : registered.error().detail}});
}

void Daemon::Say(const Job& job, const std::string& what) {
  if (options_.json) {
    parts_.out << nlohmann::ordered_json{{"job", job.id}, {"event", what}}.dump() << std::endl;
  } else {
    parts_.out << "job " << job.id << ": " << what << std::endl;
  }
}

core::Status Daemon::Run(IdlePace& pace) {
  while (!MustStop()) {
    const auto status = Step(pace);
    if (status.ok()) continue;
    if (IsFatal(status.error())) return status;
    parts_.status.Set({{"hub_error", status.error().detail}});
    Sleep(options_.poll);
  }
  parts_.status.Set({{"doing", "stopped"}, {"job", nullptr}});
  return core::Ok();
}

core::Status Daemon::Step(IdlePace& pace) {
  if (!parts_.spool.Waiting().empty()) (void)outbox_.Drain({.tries = 1});
  if (const std::string why = pace.Why(); !why.empty()) {
    Announce(std::string(kWaiting) + why);
    Sleep(std::min(options_.poll, milliseconds(1'000)));
    return core::Ok();
  }
  Announce("idle");
  const auto job = parts_.queue.Claim(options_.families, parts_.tuner.measures());
  if (!job.ok()) return job.error();
  if (job->has_value()) return WorkOn(**job, pace);
  // Agents that were told the same at the same time come back at different ones.
  Sleep(std::chrono::duration_cast<milliseconds>(options_.poll *
                                                 (0.5 + 0.5 * Pauses::Real().random())));
  return core::Ok();
}

core::Result<tuning::TuneTask> Daemon::TaskOf(const Job& job) const {
  tuning::TuneTask task;
  task.family = parts_.configuration.families.Find(job.family);
  if (task.family == nullptr) return core::Error{"unknown_family", "no family " + job.family};
  for (const auto& cells : job.shapes) {
    auto shape = tuning::ShapeOf(*task.family, [&](const std::string& column) {
      const auto found = cells.find(column);
      return found == cells.end() ? std::nullopt : std::optional<std::string>(found->second);
    });
    if (!shape.ok()) return shape.error();
    task.shapes.push_back(*std::move(shape));
  }
  task.target = parts_.info.target;
  task.device = parts_.info.name;
  task.purpose = job.measure ? tuning::Purpose::kKnown : tuning::Purpose::kTune;
  task.all = true;  // who made the job knew what is tuned
  task.search = options_.search;
  task.search.stop = [this] { return MustStop(); };
  task.label = "job " + std::to_string(job.id);
  task.arguments = options_.arguments;
  task.campaign = job.campaign;
  task.journal = tuning::JournalPath(options_.state, task, task.label);
  return task;
}

core::Status Daemon::WorkOn(const Job& job, IdlePace& pace) {
  const auto task = TaskOf(job);
  if (!task.ok()) return parts_.queue.Fail(job, task.error().detail, true);
  Say(job, job.family + ", " + std::to_string(task->shapes.size()) + " shapes");
  Lease lease(parts_.heartbeat_queue, job);
  lease_ = &lease;
  JobObserver observer(job, lease, parts_.status, parts_.out, options_.json);
  const auto summary = parts_.tuner.Tune(*task, pace, outbox_, observer);
  core::Status status = core::Ok();
  if (lease.lost()) {
    Say(job, "the lease is lost; what was measured is kept");
  } else if (summary.ok()) {
    status = Settle(job, *summary);
  } else {
    Say(job, summary.error().detail);
    status = IsFatal(summary.error()) ? parts_.queue.Release(job)
                                      : parts_.queue.Fail(job, summary.error().detail, false);
    if (IsFatal(summary.error())) status = summary.error();
  }
  lease_ = nullptr;
  announced_ = {};
  return status;
}

// The results first: a job that is complete has its rows.
bool Daemon::Deliver() {
  while (!outbox_.Drain(options_.retry)) {
    if (MustStop()) return false;
    parts_.status.Set({{"hub_error", outbox_.last_error()}});
    Sleep(kDeliveryPause);
  }
  return true;
}

core::Status Daemon::Settle(const Job& job, const tuning::Summary& summary) {
  const std::size_t refused = outbox_.refused();
  if (summary.stopped) {
    (void)outbox_.Drain({.tries = 1});
    Say(job, "handed back: this agent stops");
    return parts_.queue.Release(job);
  }
  if (!Deliver()) {
    if (lease_->lost()) return core::Ok();
    return parts_.queue.Release(job);
  }
  if (outbox_.refused() > refused) {
    return parts_.queue.Fail(job, "the hub refused results: " + outbox_.messages().back(), false);
  }
  if (summary.tuned > 0) {
    Say(job, "done, " + std::to_string(summary.tuned) + " of " +
                 std::to_string(summary.shapes.size()) +
                 (job.measure ? " shapes measured again" : " shapes tuned"));
    const auto status = parts_.queue.Complete(job, outbox_.RunId(summary.run_key));
    if (!status.ok() && IsLost(status.error())) return core::Ok();
    return status;
  }
  const std::string reason =
      summary.shapes.empty() ? "the job has no shapes" : summary.shapes.front().reason;
  Say(job, "failed: " + reason);
  return parts_.queue.Fail(job, reason, summary.failed == 0);
}

}  // namespace tunehub::agent::daemon
