// What the running server serves, against what its database has.
#include <fmt/core.h>

#include <thread>

#include "server/doctor/checks.h"
#include "server/doctor/server_answer.h"

namespace tunehub::doctor {
namespace {

constexpr const char* kRevision = "tunehub_revision";
constexpr const char* kReachable = "tunehub_database_reachable";
constexpr int kLooks =
    15;  // a commit is served milliseconds later, or a second where word got lost
constexpr std::chrono::milliseconds kBetweenLooks{200};

std::int64_t ServedBy(const Subject& subject) {
  const auto ready =
      Ask(subject.listen_host, subject.listen_port, !subject.tls_certificate.empty(), "/metrics");
  if (!ready.ok()) return 0;
  const std::string line = std::string("\n") + kRevision + " ";
  const std::size_t at = ready->body.find(line);
  return at == std::string::npos
             ? 0
             : static_cast<std::int64_t>(std::stod(ready->body.substr(at + line.size())));
}

}  // namespace

void CheckServed(Subject& subject, Report& report) {
  const auto& metrics = subject.running->metrics;
  if (!metrics.contains(kRevision)) return report.CouldNotLook("the server gives no /metrics");
  if (const auto it = metrics.find(kReachable); it != metrics.end() && it->second == 0) {
    report.Wrong("the server does not reach its database, and serves what it had",
                 "see what is said of the database; the server's log has the error");
  }
  const std::int64_t head = subject.store->revisions().ReadHeads().revision.number;
  std::int64_t served = static_cast<std::int64_t>(metrics.at(kRevision));
  for (int i = 0; i < kLooks && served < head; ++i) {
    std::this_thread::sleep_for(kBetweenLooks);
    served = ServedBy(subject);
  }
  if (served >= head) return;
  report.Wrong(fmt::format("the server serves revision {}, and the database has {}", served, head),
               "restart the server; its log says why it does not follow");
}

}  // namespace tunehub::doctor
