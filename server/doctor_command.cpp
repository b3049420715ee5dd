#include "server/doctor_command.h"

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>

#include "core/family/families.h"
#include "core/family/targets.h"
#include "server/doctor_checks.h"
#include "server/embedded/cluster.h"
#include "server/leave_root.h"
#include "server/store/health/health.h"
#include "server/store/store.h"

namespace tunehub::server {
namespace {

constexpr std::size_t kConnections = 2;

int Tell(const Report& report, bool json) {
  std::fputs((json ? report.Json() : report.Text()).c_str(), stdout);
  return report.exit_status();
}

// Without settings and a user nothing else can be looked at.
int TellOfOne(const char* check, const core::Error& error, const char* advice, bool json) {
  Report report;
  report.Begin(check);
  report.Wrong(error.detail, advice);
  return Tell(report, json);
}

void Look(Report& report, const char* check, const std::function<void()>& look) {
  report.Begin(check);
  try {
    look();
  } catch (const std::exception& error) {
    report.CouldNotLook(error.what());
  }
}

// Null where it cannot be asked. The server runs an embedded one, so that one is down with it.
std::unique_ptr<store::Store> OpenDatabase(const Settings& settings, Report& report) {
  std::string url = settings.database;
  if (url.empty()) {
    const auto running = embedded::RunningOn(settings.data);
    if (!running) return nullptr;
    url = *running;
  }
  std::size_t down = 0, read_only = 0;
  const auto hosts = store::LookAtHosts(url);
  for (const store::HostHealth& host : hosts) {
    if (host.read_only) ++read_only;
    if (host.reason.empty()) continue;
    ++down;
    report.Wrong(fmt::format("the database at {} cannot be asked: {}", host.name, host.reason),
                 "start it, or correct the setting `database` or the .pgpass of the user of the "
                 "server");
  }
  if (down == hosts.size()) return nullptr;
  if (down + read_only == hosts.size()) {
    report.Wrong("the database takes no writes: it is a standby, or set to read only",
                 "name the primary in the setting `database`, or promote one (pg_promote)");
  }
  // Also one that takes no writes.
  for (const store::HostHealth& host : hosts) {
    if (host.reason.empty() && (!host.read_only || read_only + down == hosts.size()))
      return std::make_unique<store::Store>(host.url,
                                            store::StoreOptions{.connections = kConnections});
  }
  return nullptr;
}

// `store`: null where no database with this program's schema can be asked.
void CheckDefinitions(const Settings& settings, store::Store* store, Report& report) {
  const char* const advice =
      "name the folder with families/ and targets.json (--configs), or correct the file";
  const auto families = core::Families::Load(settings.configs / "families");
  if (!families.ok()) return report.Wrong(families.error().detail, advice);
  if (families->all().empty()) {
    return report.Wrong(
        fmt::format("{} has no family file", (settings.configs / "families").string()), advice);
  }
  const auto targets = core::Targets::Load(settings.configs / "targets.json");
  if (!targets.ok()) return report.Wrong(targets.error().detail, advice);
  if (store == nullptr) return;
  for (const auto& it : store->schema().Differences(*families, *targets)) {
    if (it.older || it.missing) continue;  // a server starts with it
    report.Wrong(it.name + ": the database has another file than is here",
                 "run `tunehub-server migrate`");
  }
}

void CheckDatabase(const Settings& settings, Report& report) {
  std::unique_ptr<store::Store> store;
  Look(report, "database", [&] { store = OpenDatabase(settings, report); });
  if (store == nullptr) {
    report.Begin("sessions, schema");
    report.CouldNotLook("the database cannot be asked");
  } else {
    Look(report, "sessions", [&] {
      if (const auto sessions = store->CheckSessions(); !sessions.ok())
        report.Wrong(sessions.error().detail, "a server refuses to start with it");
    });
    Look(report, "schema", [&] {
      if (const auto schema = store->schema().Check(); !schema.ok()) {
        report.Wrong(schema.error().detail, "a server refuses to start until then");
        store.reset();
      }
    });
  }
  Look(report, "definitions", [&] { CheckDefinitions(settings, store.get(), report); });
}

}  // namespace

int Doctor(const core::Result<Settings>& settings, bool json) {
  std::signal(SIGPIPE, SIG_IGN);
  spdlog::set_level(spdlog::level::off);  // the report says each finding once
  if (!settings.ok())
    return TellOfOne("settings", settings.error(), "nothing else was looked at", json);
  const auto user = ServerUser(*settings);
  if (!user.ok()) return TellOfOne("user", user.error(), "nothing else was looked at", json);
  Report report;
  Look(report, "server", [&] { CheckServer(*settings, report); });
  Look(report, "data folder", [&] { CheckDataFolder(*settings, *user, report); });
  // From here on files and passwords are those that the server can read.
  if (user->switched) ::setenv("HOME", user->home.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  if (!embedded::BecomeUser(*user))
    return TellOfOne("user", {"", fmt::format("this command cannot become `{}`", user->name)},
                     "run it as that user", json);
  Look(report, "certificate", [&] { CheckCertificate(*settings, report); });
  Look(report, "web", [&] { CheckWeb(*settings, report); });
  CheckDatabase(*settings, report);
  return Tell(report, json);
}

}  // namespace tunehub::server
