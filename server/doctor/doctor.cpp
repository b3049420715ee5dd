#include "server/doctor/doctor.h"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "server/doctor/checks.h"
#include "server/embedded/cluster.h"

namespace tunehub::doctor {
namespace {

constexpr const char* kOpening = "database";
constexpr std::size_t kConnections = 2;

enum class Needs {
  kNothing,
  kDatabase,
  kTables,  // of this program's schema
  kBoth,    // and a server that runs
};

struct Check {
  const char* name;
  Needs needs;
  void (*run)(Subject&, Report&);
};

// In the order in which they are said; what others go by comes first.
constexpr Check kChecks[] = {
    {"server", Needs::kNothing, CheckServer},
    {"data folder", Needs::kNothing, CheckDataFolder},
    {"disk", Needs::kNothing, CheckDisk},
    {"memory", Needs::kNothing, CheckMemory},
    {"open files", Needs::kNothing, CheckDescriptors},
    {"certificate", Needs::kNothing, CheckCertificate},
    {"password file", Needs::kNothing, CheckPasswordFile},
    {"web", Needs::kNothing, CheckWeb},
    {"backups", Needs::kNothing, CheckBackups},
    {"sessions", Needs::kDatabase, CheckSessions},
    {"schema", Needs::kDatabase, CheckSchema},
    {"definitions", Needs::kNothing, CheckDefinitions},
    {"clock", Needs::kDatabase, CheckClock},
    {"replication", Needs::kDatabase, CheckReplication},
    {"archive", Needs::kDatabase, CheckArchiver},
    {"keys", Needs::kTables, CheckKeys},
    {"queue", Needs::kTables, CheckQueue},
    {"served", Needs::kBoth, CheckServed},
};

// Null where it cannot be asked. One that the server keeps runs with it alone, which the check of
// the server says.
std::unique_ptr<store::Store> OpenDatabase(const Subject& subject, Report& report) {
  report.Begin(kOpening);
  std::string url = subject.database;
  if (subject.is_embedded()) {
    const auto running = embedded::RunningOn(subject.data);
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
                 "start it, or mend the setting `database`");
  }
  if (down == hosts.size()) return nullptr;
  if (down + read_only == hosts.size()) {
    report.Wrong("the database takes no writes: it is a standby, or set to read only",
                 "name the primary, or promote one");
  }
  // Also one that takes no writes.
  for (const store::HostHealth& host : hosts) {
    if (host.reason.empty() && (!host.read_only || read_only + down == hosts.size()))
      return std::make_unique<store::Store>(host.url,
                                            store::StoreOptions{.connections = kConnections});
  }
  return nullptr;
}

bool CanRun(const Check& check, const Subject& subject) {
  if (check.needs == Needs::kNothing) return true;
  if (subject.store == nullptr) return false;
  if (check.needs == Needs::kDatabase) return true;
  return subject.has_schema && (check.needs == Needs::kTables || subject.running.has_value());
}

const char* WhyNot(const Subject& subject) {
  if (subject.store == nullptr) return "the database cannot be asked";
  return subject.has_schema ? "no server answers" : "the schema is not this program's";
}

void Run(const Check& check, Subject& subject, Report& report) {
  report.Begin(check.name);
  try {
    check.run(subject, report);
  } catch (const std::exception& error) {
    report.CouldNotLook(error.what());
  }
}

}  // namespace

Report Look(Subject subject) {
  Report report;
  std::unique_ptr<store::Store> store;
  try {
    store = OpenDatabase(subject, report);
  } catch (const std::exception& error) {
    report.Wrong(error.what(), "mend the setting `database`");
  }
  subject.store = store.get();
  std::vector<std::string> left;
  for (const Check& check : kChecks) {
    if (CanRun(check, subject))
      Run(check, subject, report);
    else
      left.emplace_back(check.name);
  }
  if (!left.empty()) {
    report.Begin(fmt::format("{}", fmt::join(left, ", ")));
    report.CouldNotLook(WhyNot(subject));
  }
  return report;
}

}  // namespace tunehub::doctor
