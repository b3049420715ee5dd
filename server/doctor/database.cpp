// The database as the server needs it: sessions, schema, definitions, clock.
#include <fmt/core.h>

#include <cmath>

#include "core/family/families.h"
#include "core/family/targets.h"
#include "server/doctor/checks.h"

namespace tunehub::doctor {
namespace {

// Leases go by the database's clock alone; times of runs and of backups by this host's.
constexpr double kMostSecondsApart = 5;

double Now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

void CheckSessions(Subject& subject, Report& report) {
  const auto sessions = subject.store->CheckSessions();
  if (!sessions.ok()) report.Wrong(sessions.error().detail, "a server refuses to start with it");
}

void CheckSchema(Subject& subject, Report& report) {
  const auto schema = subject.store->schema().Check();
  subject.has_schema = schema.ok();
  if (!schema.ok()) report.Wrong(schema.error().detail, "a server refuses to start until then");
}

void CheckDefinitions(Subject& subject, Report& report) {
  const char* const advice =
      "name the folder with families/ and targets.json (--configs), or mend "
      "the file";
  const auto families = core::Families::Load(subject.configs / "families");
  if (!families.ok()) return report.Wrong(families.error().detail, advice);
  if (families->all().empty()) {
    return report.Wrong(
        fmt::format("{} has no family file", (subject.configs / "families").string()), advice);
  }
  const auto targets = core::Targets::Load(subject.configs / "targets.json");
  if (!targets.ok()) return report.Wrong(targets.error().detail, advice);
  if (!subject.has_schema) return;
  for (const auto& it : subject.store->schema().Differences(*families, *targets)) {
    if (it.older) {
      report.Wrong(fmt::format("{}: the file here is older than the database's", it.name),
                   "install the newer version here, or run `tunehub-server migrate` to go back");
    } else {
      report.Wrong(fmt::format("{}: the database {}", it.name,
                               it.missing ? "does not know it" : "has another file than is here"),
                   "run `tunehub-server migrate`");
    }
  }
}

void CheckClock(Subject& subject, Report& report) {
  const double before = Now();
  const double theirs = subject.store->health().Server().seconds;
  const double apart = theirs - (before + Now()) / 2;
  if (std::abs(apart) <= kMostSecondsApart) return;
  report.Wrong(fmt::format("the database's clock is {:.0f} s {} this host's", std::abs(apart),
                           apart > 0 ? "ahead of" : "behind"),
               "let both follow one time (chronyd, systemd-timesyncd)");
}

}  // namespace tunehub::doctor
