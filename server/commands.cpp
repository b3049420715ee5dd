#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "build_info.h"
#include "core/family/targets.h"
#include "server/app.h"
#include "server/command.h"
#include "server/db/database_state.h"
#include "server/hub.h"
#include "server/keys/key_store.h"
#include "server/keys/signing_key_store.h"
#include "server/ops/backup.h"
#include "server/ops/static_export.h"
#include "server/ops/verification.h"
#include "server/stopping.h"

namespace tunehub::server {
namespace {

constexpr double kMegabytes = 1e6;

void TellManifest(const std::string& place, const BackupManifest& manifest) {
  fmt::print("{}: revision {}, {} measurements, schema version {}, {} parts, {:.1f} MB\n", place,
             manifest.hub.revision.number, manifest.hub.measurements, manifest.hub.schema,
             manifest.parts.size(), static_cast<double>(manifest.bytes()) / kMegabytes);
}

void TellRevoked(const std::vector<KeyName>& keys) {
  for (const KeyName& key : keys)
    fmt::print("key {} ({}..., {}) is revoked\n", key.id, key.hint, key.scope);
  if (keys.empty()) return;
  fmt::print(
      "These keys were not valid in the replaced database, so the restore revoked them. `key "
      "create` makes new keys; `restore --revive-keys` keeps all keys as in the backup.\n");
}

// The running server may have this setting from a flag, which this command cannot read. But the
// database contains all API keys in force, including keys with the scope read.
bool ReadsNeedKey(const Settings& settings, ConnectionPool& pool) {
  const auto list = KeyStore(pool).List();
  return settings.reads_need_key || std::ranges::any_of(list.keys, [](const auto& key) {
           return key.scope == "read" && key.revoked.empty();
         });
}

core::Result<StaticExportReport> ExportFrom(const Settings& settings, const ExportOptions& options,
                                            ConnectionPool& pool, const Signals& signals) {
  if (!options.open && ReadsNeedKey(settings, pool)) {
    return core::Error{
        "reads_need_key",
        "reads of this hub need a key (--reads key, or a valid key of scope read), but anyone can "
        "read an export without a key. If you want that, pass --public"};
  }
  const auto definitions = LoadDefinitions(settings.configs, pool, OtherFile::kRefused);
  if (!definitions.ok()) return definitions.error();
  auto signing_key = LoadSigningKey(pool, settings.signing_key);
  if (!signing_key.ok()) return signing_key.error();
  Settings open = settings;
  open.reads_need_key = false;  // this program sends the requests itself, without a key
  Hub hub(open, pool, *definitions, *signing_key);
  // once, so that all tables are of this revision, even if a server writes
  hub.snapshots.Refresh();
  const App app(hub, open);
  const auto answer = [&](const http::Request& request) {
    if (signals.Wait(std::chrono::milliseconds(0)) == Told::kStop)
      throw ExportFailed{{"stopped", "a signal stopped the export; the folder is unchanged"}};
    return app.Handle(request);
  };
  const auto say = [](const std::string& step) { std::fprintf(stderr, "%s\n", step.c_str()); };
  return ExportStatic(
      answer, {say, options.place, settings.web / "export", options.revisions, *signing_key});
}

int Tell(const VerifyReport& report) {
  for (const Check& check : report.checks) {
    for (const std::string& sentence : check.sentences) fmt::print("{}\n", sentence);
    const auto more = check.wrong - static_cast<std::int64_t>(check.sentences.size());
    if (more > 0) fmt::print("{}: {} more faults of this kind\n", check.of, more);
  }
  const auto wrong = report.wrong();
  const bool some = report.digests < report.all_digests;
  fmt::print("revision {}, {} measurements, {}{} digests of revisions: {}\n", report.revision,
             report.measurements, report.digests,
             some ? fmt::format(" of {} (--all checks all)", report.all_digests) : "",
             wrong == 0 ? "no fault found" : fmt::format("{} faults found", wrong));
  return wrong == 0 ? kGood : kFinding;
}

// A temporary folder that PostgreSQL's system user may enter, too.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tunehub-verify-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr || ::chmod(name.c_str(), 0711) != 0)
      throw std::system_error(errno, std::generic_category(), name);
    path_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

int VerifyBackup(const std::string& backup, const core::Targets& targets,
                 const VerifyDepth& depth) {
  if (const auto checked = CheckBackup(backup); !checked.ok()) {
    Fail(checked.error());
    return kFinding;
  }
  const ScratchFolder folder;
  embedded::ClusterOptions options;
  options.data_dir = folder.path() / "data";
  options.extra_settings = {{"fsync", "off"}};  // the cluster is temporary
  const auto cluster = embedded::Cluster::Start(options);
  if (!cluster.ok()) return Fail(cluster.error());
  const std::string url = (*cluster)->ConnectionString();
  ConnectionPool pool(url, {.size = 2});
  const auto restored = Restore(pool, {.url = url, .backup = backup, .revive_keys = true});
  if (!restored.ok()) return Fail(restored.error());
  if (const auto status = PrepareSchema(pool, true); !status.ok()) return Fail(status.error());
  return Tell(Verify(pool, targets, depth));
}

}  // namespace

int Backup(const Settings& settings, const BackupOptions& options) {
  const std::filesystem::path folder = options.place;
  const auto place = options.keep > 0 ? folder / NameAt(std::chrono::system_clock::now()) : folder;
  // A backup before `migrate` finds an older schema than this program's.
  return WithDatabase(
      settings, WhereAbsent::kRefused, [&](const Database& database, ConnectionPool& pool) {
        if (!BackupStore(pool).Content().hub)
          return Fail(
              {"no_hub", "the database has no tables of a hub, so there is nothing to back up"});
        const auto made = MakeBackup(pool, {database.url, place, TUNEHUB_VERSION});
        if (!made.ok()) return Fail(made.error());
        TellManifest(place.string(), *made);
        if (options.keep == 0) return 0;
        const auto removed = RemoveOld(folder, static_cast<std::size_t>(options.keep));
        if (!removed.ok()) return Fail(removed.error());
        for (const std::string& name : *removed)
          fmt::print("{}: removed, because of --keep\n", (folder / name).string());
        return 0;
      });
}

int Restore(const Settings& settings, const BackupOptions& options) {
  // Checks the backup before this command makes a cluster.
  if (const auto checked = CheckBackup(options.place); !checked.ok()) return Fail(checked.error());
  return WithDatabase(
      settings, WhereAbsent::kMade, [&](const Database& database, ConnectionPool& pool) {
        if (const auto sessions = CheckSessions(pool); !sessions.ok())
          return Fail(sessions.error());
        const auto restored =
            Restore(pool, {database.url, options.place, options.replace, options.revive_keys});
        if (!restored.ok()) return Fail(restored.error());
        TellManifest("restored " + options.place, restored->manifest);
        TellRevoked(restored->revoked);
        return 0;
      });
}

int Export(const Settings& settings, const ExportOptions& options) {
  const Signals signals;
  return WithStore(settings, [&](ConnectionPool& pool) {
    const auto report = ExportFrom(settings, options, pool, signals);
    if (!report.ok()) return Fail(report.error());
    fmt::print("{}: revision {}, {} tables, {} files, {:.1f} MB\n", options.place,
               report->revision.number, report->tables, report->files,
               static_cast<double>(report->bytes) / kMegabytes);
    if (!report->with_page) {
      std::fprintf(stderr,
                   "%s: exported without the dashboard, because its files are missing; run "
                   "deploy/build-web first\n",
                   kProgram);
    }
    return 0;
  });
}

int Verify(const Settings& settings, const VerifyOptions& options) {
  const auto targets = core::Targets::Load(settings.configs / "targets.json");
  if (!targets.ok()) return Fail(targets.error());
  const VerifyDepth depth = {.all = options.all};
  if (!options.backup.empty()) return VerifyBackup(options.backup, *targets, depth);
  return WithStore(settings,
                   [&](ConnectionPool& pool) { return Tell(Verify(pool, *targets, depth)); });
}

}  // namespace tunehub::server
