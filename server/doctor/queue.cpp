// The queue: work without agents, agents without a word, leases that nobody looks after.
#include <fmt/format.h>

#include "server/doctor/checks.h"

namespace tunehub::doctor {
namespace {

// An agent asks every few seconds; one that tunes says so every minute.
constexpr std::chrono::minutes kSilence{10};
constexpr std::chrono::days kGone{7};  // a host that was not seen for so long was taken away
constexpr std::size_t kMostNamed = 5;

std::string Named(const std::vector<store::SilentAgent>& agents) {
  std::vector<std::string> names;
  for (const auto& it : agents) {
    if (names.size() == kMostNamed) break;
    names.push_back(fmt::format("{} on {} since {}", it.name, it.host, it.last_seen));
  }
  const std::size_t more = agents.size() - names.size();
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more == 0 ? "" : fmt::format(", and {} more", more));
}

}  // namespace

void CheckQueue(Subject& subject, Report& report) {
  const auto queue = subject.store->health().Queue(kSilence, kGone);
  for (const auto& it : queue.without_agent) {
    const std::string target =
        it.cu_num == 0 ? it.gfx : fmt::format("{} with {} CUs", it.gfx, it.cu_num);
    report.Wrong(fmt::format("{} jobs for {} are queued, and no agent of it has asked for {} "
                             "minutes",
                             it.jobs, target, kSilence.count()),
                 "start an agent on such a host (tunehub-agent run), or cancel the jobs");
  }
  if (!queue.silent.empty()) {
    report.Wrong("agents are silent: " + Named(queue.silent),
                 "look at their logs (journalctl -u tunehub-agent); one that was taken away is "
                 "forgotten in time");
  }
  if (queue.parked > 0) {
    report.Wrong(fmt::format("{} jobs are parked, since each try failed", queue.parked),
                 "their reasons are in GET /jobs?state=parked and on the dashboard's page Queue");
  }
  if (queue.overdue > 0) {
    report.Wrong(
        fmt::format("{} leases have expired, and no server takes them back", queue.overdue),
        "see that a server runs on this database");
  }
}

}  // namespace tunehub::doctor
