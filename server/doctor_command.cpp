#include "server/doctor_command.h"

#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdio>

#include "server/descriptors.h"
#include "server/doctor/doctor.h"
#include "server/leave_root.h"

namespace tunehub::server {
namespace {

doctor::Subject SubjectOf(const Settings& settings, embedded::DatabaseUser user) {
  doctor::Subject subject;
  subject.listen_host = settings.listen_host;
  subject.listen_port = settings.listen_port;
  subject.tls_certificate = settings.tls_certificate;
  subject.tls_key = settings.tls_key;
  subject.data = settings.data;
  subject.wal_archive = settings.wal_archive;
  subject.backups = BackupsOf(settings);
  subject.database = settings.database;
  subject.configs = settings.configs;
  subject.web = settings.web;
  subject.connections = settings.fairness.connections;
  subject.descriptors = DescriptorsFor(subject.connections);
  subject.budget_bytes = settings.cache_bytes + settings.past_bytes +
                         settings.fairness.bodies_bytes + settings.fairness.answers_bytes;
  subject.user = std::move(user);
  return subject;
}

int Tell(const doctor::Report& report, bool json) {
  std::fputs((json ? report.Json() : report.Text()).c_str(), stdout);
  return report.exit_status();
}

// Of what nothing else can be looked at without.
int TellOfOne(const char* check, const core::Error& error, const char* advice, bool json) {
  doctor::Report report;
  report.Begin(check);
  report.Wrong(error.detail, advice);
  return Tell(report, json);
}

}  // namespace

int Doctor(const core::Result<Settings>& settings, bool json) {
  std::signal(SIGPIPE, SIG_IGN);
  spdlog::set_level(spdlog::level::off);  // all that is found is said once, below
  if (!settings.ok()) {
    return TellOfOne("settings", settings.error(), "mend it; nothing else was looked at", json);
  }
  auto user = ServerUser(*settings);
  if (!user.ok()) {
    return TellOfOne("user", user.error(), "see to it; nothing else was looked at", json);
  }
  return Tell(doctor::Look(SubjectOf(*settings, *std::move(user))), json);
}

}  // namespace tunehub::server
