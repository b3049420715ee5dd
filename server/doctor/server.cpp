// Who answers where the server is to listen, and what it says.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "server/doctor/checks.h"
#include "server/doctor/process.h"
#include "server/doctor/server_answer.h"

namespace tunehub::doctor {
namespace {

constexpr const char* kProcess = "tunehub-server";
constexpr int kFine = 200;

std::string PlaceOf(const Subject& subject) {
  return fmt::format("{}://{}:{}/", subject.tls_certificate.empty() ? "http" : "https",
                     subject.listen_host, subject.listen_port);
}

std::string WhoHas(const Listening& listening) {
  const auto user = embedded::UserOf(listening.uid);
  const std::string name = user ? user->name : std::to_string(listening.uid);
  if (listening.pid == 0) return fmt::format("a process of the user `{}`", name);
  return fmt::format("{} (pid {}, user `{}`)", ProcessName(listening.pid), listening.pid, name);
}

// "name{labels} 1.5" of Prometheus' text, a line each.
std::map<std::string, double> ParseMetrics(std::string_view text) {
  std::map<std::string, double> metrics;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t blank = line.rfind(' ');
    if (line.starts_with('#') || blank == std::string_view::npos) continue;
    double value = 0;
    const std::string_view number = line.substr(blank + 1);
    if (std::from_chars(number.data(), number.data() + number.size(), value).ec == std::errc())
      metrics[std::string(line.substr(0, blank))] = value;
  }
  return metrics;
}

std::string WordsOf(const Answer& answer) {
  const auto json = core::ReadJson(answer.body);
  if (json.is_object() && json.contains("detail") && json["detail"].is_string())
    return json["detail"].get<std::string>();
  return fmt::format("status {}", answer.status);
}

bool IsTunehub(const Subject& subject, const std::optional<Listening>& listening) {
  if (listening && listening->pid != 0 && ProcessName(listening->pid) == kProcess) return true;
  const auto alive =
      Ask(subject.listen_host, subject.listen_port, !subject.tls_certificate.empty(), "/healthz");
  return alive.ok() && alive->body == R"({"status":"alive"})";
}

}  // namespace

void CheckServer(Subject& subject, Report& report) {
  const auto listening = ListenerAt(subject.listen_host, subject.listen_port);
  if (!IsTunehub(subject, listening)) {
    if (!listening) {
      return report.Wrong("no server answers at " + PlaceOf(subject),
                          "start it: systemctl start tunehub-server, or tunehub-server serve");
    }
    return report.Wrong(fmt::format("{} has the port {} that the server is to listen at",
                                    WhoHas(*listening), subject.listen_port),
                        "end that, or give the server another port (--listen)");
  }
  const auto ask = [&](const std::string& path) {
    return Ask(subject.listen_host, subject.listen_port, !subject.tls_certificate.empty(), path);
  };
  Running running;
  running.pid = listening ? listening->pid : 0;
  const auto ready = ask("/readyz");
  if (!ready.ok()) {
    subject.running = std::move(running);
    return report.Wrong(
        fmt::format("the server at {} does not answer: {}", PlaceOf(subject), ready.error().detail),
        "its log says what it does; restart it where it hangs");
  }
  if (const auto metrics = ask("/metrics"); metrics.ok() && metrics->status == kFine)
    running.metrics = ParseMetrics(metrics->body);
  running.ready = ready->status;
  subject.running = std::move(running);
  if (ready->status == kFine) return;
  report.Wrong(fmt::format("the server at {} is not ready: {}", PlaceOf(subject), WordsOf(*ready)),
               "what is said below of the database may be why; its log says more");
}

}  // namespace tunehub::doctor
