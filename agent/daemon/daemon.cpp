#include "agent/daemon/daemon.h"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <ostream>

#include "agent/hub/hub_client.h"
#include "agent/search/tuned_file.h"
#include "core/base/file.h"
#include "core/base/rfc3339.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// The hub expects a heartbeat at least every minute.
constexpr std::chrono::seconds kAnnounceAfter{30};
// The daemon notices a signal within this time.
constexpr milliseconds kNap{50};
constexpr const char* kInternal = "internal";
constexpr const char* kWaiting = "waiting: ";
// The hub's limit for a claim's `except`.
constexpr std::size_t kMostHandedBack = 1000;
// The pause between tries to report a finished job to the hub.
constexpr milliseconds kDeliveryPause{2'000};

// True for an error that ends the daemon: no device, a full disk, an API key of another scope.
bool IsFatal(const core::Error& error) {
  constexpr const char* kFatal[] = {"wrong_scope", kNoDevice, "disk_full", "spool_full",
                                    "file_unwritable"};
  return std::find(std::begin(kFatal), std::end(kFatal), error.code) != std::end(kFatal);
}

// True if the same request may succeed later.
bool MayBeCured(const core::Error& error) {
  constexpr const char* kCured[] = {kHubUnreachable, kHubUnavailable, kTooLargeBetween, kKeyRefused,
                                    kHubUntrusted};
  return std::find(std::begin(kCured), std::end(kCured), error.code) != std::end(kCured);
}

// Converts an exception to an error, so that one answer or one job cannot end the daemon.
core::Status Tried(const std::function<core::Status()>& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    return core::Error{kInternal, fmt::format("{}: {}", kInternal, error.what())};
  }
}

}  // namespace

bool Daemon::MustStop() const {
  return options_.stop() || given_up_ || (lease_ != nullptr && lease_->lost());
}

void Daemon::Sleep(milliseconds pause) const {
  const auto until = options_.now() + pause;
  for (auto now = options_.now(); !MustStop() && now < until; now = options_.now()) {
    options_.nap(std::min<steady_clock::duration>(kNap, until - now));
  }
}

void Daemon::Announce(const std::string& doing) {
  const auto now = steady_clock::now();
  if (doing == doing_ && now - announced_ < kAnnounceAfter) return;
  // Logs the start and the end of waiting, but not the changes of the load in between.
  if (doing.starts_with(kWaiting) != doing_.starts_with(kWaiting)) {
    Log(doing.starts_with(kWaiting) ? doing : "the device is idle");
  }
  doing_ = doing;
  announced_ = now;
  parts_.status.Set({{"doing", doing},
                     {"job", nullptr},
                     {"family", nullptr},
                     {"shape", nullptr},
                     {"done", nullptr},
                     {"total", nullptr}});
  Heard(parts_.queue.Register(doing));
}

void Daemon::Heard(const core::Status& status) {
  const auto noted = hub_.Note(status);
  parts_.status.Set({{"hub_error", hub_.wrong()}});
  if (noted.ok()) return;
  gone_ = noted.error();
  given_up_ = true;
}

void Daemon::Log(const std::string& text, const Job* job) {
  const std::string line = core::PlainText(text);
  if (options_.json) {
    nlohmann::ordered_json event = {{"time", core::UtcText(std::chrono::system_clock::now())}};
    if (job != nullptr) event["job"] = job->id;
    event["event"] = line;
    parts_.out << event.dump() << std::endl;
  } else {
    parts_.out << (job != nullptr ? fmt::format("job {}: ", job->id) : "") << line << std::endl;
  }
}

// Logs the outbox's messages, and records the last lease renewal.
void Daemon::TellNews() {
  for (const std::string& text : outbox_.TakeNews()) Log(text);
  if (lease_ == nullptr) return;
  if (const auto renewed = lease_->TakeNews()) Heard(*renewed);
}

core::Status Daemon::Run(IdlePace& pace) {
  while (!MustStop()) {
    const auto status = Tried([&] { return Step(pace); });
    lease_ = nullptr;
    if (status.ok()) continue;
    if (status.error().code == kInternal && status.error().detail != thrown_) {
      thrown_ = status.error().detail;
      Log(thrown_);
    }
    if (IsFatal(status.error())) {
      gone_ = status.error();
      break;
    }
    Sleep(options_.poll);
  }
  TellNews();
  parts_.status.Set({{"doing", "stopped"}, {"job", nullptr}, {"ended_by", gone_.detail}});
  return gone_.code.empty() ? core::Ok() : gone_;
}

core::Status Daemon::Step(IdlePace& pace) {
  if (!parts_.spool.Waiting().empty()) (void)Drain({.tries = 1});
  if (const std::string why = pace.Why(); !why.empty()) {
    Announce(std::string(kWaiting) + why);
    Sleep(std::min(options_.poll, milliseconds(1'000)));
    return core::Ok();
  }
  Announce("idle");
  if (given_up_) return gone_;
  const auto job = parts_.queue.Claim(options_.families, parts_.tuner.verifies(), handed_back_);
  Heard(job.ok() ? core::Ok() : core::Status(job.error()));
  if (!job.ok()) return job.error();
  if (job->has_value()) return WorkOn(**job, pace);
  // Jitter, so that agents that got the same answer at the same time do not return at the same
  // time.
  Sleep(std::chrono::duration_cast<milliseconds>(options_.poll *
                                                 (0.5 + 0.5 * Pauses::Real().random())));
  return core::Ok();
}

core::Result<TuneTask> Daemon::TaskOf(const Job& job) const {
  TuneTask task;
  task.family = parts_.configuration.families.Find(job.family);
  if (task.family == nullptr) return core::Error{"unknown_family", "unknown family " + job.family};
  task.target = parts_.info.target;
  task.label = fmt::format("job {}", job.id);
  // The journal's name depends on the job, not on its shapes, because a job that is claimed again
  // may lack finished shapes.
  task.journal =
      JournalPath(options_.state, task, fmt::format("{} of {}", task.label, job.created));
  task.keep_journal = !job.verify;
  for (const auto& cells : job.shapes) {
    auto shape = ShapeOf(*task.family, [&](const std::string& column) {
      const auto found = cells.find(column);
      return found == cells.end() ? std::nullopt : std::optional<std::string>(found->second);
    });
    if (!shape.ok()) return shape.error();
    task.shapes.push_back(*std::move(shape));
  }
  task.device = parts_.info;
  task.purpose = job.verify ? Purpose::kKnown : Purpose::kTune;
  task.all = true;  // the hub has left out tuned shapes
  task.search = options_.search;
  task.search.stop = [this] { return MustStop(); };
  task.arguments = options_.arguments;
  task.campaign = job.campaign;
  if (job.verify) {
    task.job = job.id;
    task.search.exhaustive = true;  // also times a candidate that has become far slower
  }
  return task;
}

core::Status Daemon::WorkOn(const Job& job, IdlePace& pace) {
  const auto task = TaskOf(job);
  if (!task.ok()) return Rest(parts_.queue.Fail(job, task.error().detail, true));
  Say(job, fmt::format("{}, {} shapes", job.family, task->shapes.size()));
  Lease lease(parts_.heartbeat_queue, job);
  lease_ = &lease;
  JobObserver observer(job, lease, parts_.status, parts_.out, options_.json, [&] { TellNews(); });
  core::Result<Summary> summary = Summary{};
  const core::Status tried = Tried([&] {
    summary = parts_.tuner.Tune(*task, pace, outbox_, observer);
    return core::Ok();
  });
  if (!tried.ok()) summary = tried.error();
  TellNews();
  core::Status status = core::Ok();
  if (lease.lost()) {
    Say(job, "the job now belongs to another agent; this agent keeps its measurements");
    (void)core::RemoveDurably(task->journal);  // its results are in the spool or at the hub
  } else if (summary.ok()) {
    status = Settle(job, *task, *summary);
  } else {
    Say(job, summary.error().detail);
    const bool fatal = IsFatal(summary.error());
    status =
        fatal ? parts_.queue.Release(job) : parts_.queue.Fail(job, summary.error().detail, false);
    if (fatal) status = summary.error();
  }
  lease_ = nullptr;
  announced_ = {};
  return summary.ok() && summary->tuned > 0 ? status : Rest(status);
}

// Pauses after a job without a measurement, since the hub may offer many such jobs, or one job
// again and again. If `status` is an error, does not pause, since Run pauses after errors.
core::Status Daemon::Rest(core::Status status) const {
  if (status.ok()) Sleep(options_.poll);
  return status;
}

core::Status Daemon::Drain(const RetryPolicy& policy) {
  const bool sent = outbox_.Drain(policy);
  TellNews();
  // Drain may have sent no request, so its success says nothing about the hub
  if (sent) return core::Ok();
  const core::Error& failure = outbox_.failure();
  if (failure.code == kTooLargeBetween) {
    // The outbox has sent later batches, and retries this batch from time to time. The log gets one
    // line.
    if (failure.detail != too_large_) Log(failure.detail);
    too_large_ = failure.detail;
    return outbox_.waits_own() ? core::Status(failure) : core::Ok();
  }
  if (MayBeCured(failure)) Heard(failure);
  return failure;
}

// Repeats a report until the hub acknowledges it. Otherwise the hub would give the job to another
// agent.
core::Status Daemon::Insist(const std::function<core::Status()>& say) {
  for (;;) {
    core::Status status = say();
    Heard(status);
    if (status.ok() || !MayBeCured(status.error())) return status;
    if (MustStop()) return given_up_ ? gone_ : status.error();
    Sleep(kDeliveryPause);
  }
}

// Retries until the hub has all results, or until a batch is too large for a proxy.
core::Status Daemon::Deliver() {
  for (;;) {
    core::Status sent = Drain(options_.retry);
    if (sent.ok() || sent.error().code == kTooLargeBetween || MustStop()) return sent;
    Sleep(kDeliveryPause);
  }
}

core::Status Daemon::Settle(const Job& job, const TuneTask& task, const Summary& summary) {
  const std::size_t refused = outbox_.refused_own();
  if (summary.stopped) {
    (void)Drain({.tries = 1});
    if (given_up_) return gone_;
    Say(job, "handed back, because this agent stops");
    return parts_.queue.Release(job);
  }
  // The results go first, so that a completed job has its rows.
  const core::Status delivered = Deliver();
  const bool stuck = !delivered.ok() && delivered.error().code == kTooLargeBetween;
  if (!delivered.ok() && !stuck) {
    if (given_up_) return gone_;
    return lease_->lost() ? core::Ok() : parts_.queue.Release(job);
  }
  core::Status status = core::Ok();
  if (stuck) {
    outbox_.LeaveOwn();
    const std::string reason = "the results wait in the spool: " + delivered.error().detail;
    Say(job, "failed: " + reason);
    status = Insist([&] { return parts_.queue.Fail(job, reason, true); });
  } else if (outbox_.refused_own() > refused) {
    const std::string reason = "the hub refused results: " + outbox_.messages().back();
    status = Insist([&] { return parts_.queue.Fail(job, reason, false); });
  } else {
    status = Conclude(job, task, summary);
  }
  if (!status.ok() && MayBeCured(status.error())) return status;
  // The job is finished. After a kill before this line, the agent continues from the journal.
  (void)core::RemoveDurably(task.journal);
  return status.ok() || IsLost(status.error()) ? core::Ok() : status;
}

// Sends the reason, which the hub shows with the job. This agent does not claim the job again.
core::Status Daemon::HandBack(const Job& job, const std::string& why) {
  Say(job, "handed back: " + why);
  handed_back_.push_back(job.id);
  if (handed_back_.size() > kMostHandedBack) handed_back_.erase(handed_back_.begin());
  return Insist([&] { return parts_.queue.Release(job, why); });
}

core::Status Daemon::Conclude(const Job& job, const TuneTask& task, const Summary& summary) {
  if (!summary.left.empty()) {
    const auto failed = std::ranges::find_if(
        summary.shapes, [](const DoneShape& it) { return !it.reason.empty(); });
    const std::string also = failed == summary.shapes.end() ? "" : "; " + failed->reason;
    return HandBack(job, summary.left + also);
  }
  if (summary.tuned == 0) {
    const std::string reason =
        summary.shapes.empty() ? "the job has no shapes" : summary.shapes.front().reason;
    Say(job, "failed: " + reason);
    return Insist([&] { return parts_.queue.Fail(job, reason, summary.failed == 0); });
  }
  const auto status =
      Insist([&] { return parts_.queue.Complete(job, outbox_.RunId(summary.run_key)); });
  const std::string what = fmt::format("{} of {}{}", summary.tuned, task.shapes.size(),
                                       job.verify ? " shapes measured again" : " shapes tuned");
  if (status.ok()) Say(job, "done, " + what);
  if (!status.ok() && IsLost(status.error())) Say(job, what + "; another agent has taken the job");
  return status;
}

}  // namespace tunehub::agent
