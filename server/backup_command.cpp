#include "server/backup_command.h"

#include <chrono>
#include <cstdio>

#include "build_info.h"
#include "server/backup/backup.h"
#include "server/backup/restore.h"
#include "server/backup/retention.h"
#include "server/command.h"
#include "server/database.h"

namespace tunehub::server {
namespace {

constexpr double kMegabytes = 1e6;

void TellManifest(const std::string& place, const backup::Manifest& manifest) {
  std::printf("%s: revision %lld, %lld measurements, schema version %d, %zu parts, %.1f MB\n",
              place.c_str(), static_cast<long long>(manifest.hub.revision.number),
              static_cast<long long>(manifest.hub.measurements), manifest.hub.schema,
              manifest.parts.size(), static_cast<double>(manifest.bytes()) / kMegabytes);
}

void TellRevoked(const std::vector<store::KeyName>& keys) {
  for (const store::KeyName& key : keys)
    std::printf("key %lld (%s..., %s) is revoked\n", static_cast<long long>(key.id),
                key.hint.c_str(), key.scope.c_str());
  if (keys.empty()) return;
  std::printf(
      "The database did not have these keys in force. `key create` makes others; "
      "`restore --revive-keys` leaves all as in the backup.\n");
}

// A database of any schema: a backup comes before `migrate`, a restore before there is a schema.
int WithAnySchema(const Settings& settings, WhereAbsent absent,
                  const std::function<int(const std::string& url, store::Store&)>& work) {
  auto database = AnyDatabase(settings, absent);
  if (!database.ok()) return Fail(database.error());
  store::Store store(database->url, {.connections = 2});
  return work(database->url, store);
}

}  // namespace

int Backup(const Settings& settings, const BackupOptions& options) {
  const std::filesystem::path folder = options.place;
  const auto place =
      options.keep > 0 ? folder / backup::NameAt(std::chrono::system_clock::now()) : folder;
  return WithAnySchema(
      settings, WhereAbsent::kRefused, [&](const std::string& url, store::Store& store) {
        if (!store.backups().Content().hub)
          return Fail({"no_hub", "the database has no hub's tables: there is nothing to back up"});
        const auto made = backup::MakeBackup(store, {url, place, TUNEHUB_VERSION});
        if (!made.ok()) return Fail(made.error());
        TellManifest(place.string(), *made);
        if (options.keep == 0) return 0;
        const auto removed = backup::RemoveOld(folder, static_cast<std::size_t>(options.keep));
        if (!removed.ok()) return Fail(removed.error());
        for (const std::string& name : *removed)
          std::printf("%s: removed, as --keep says\n", (folder / name).c_str());
        return 0;
      });
}

int Restore(const Settings& settings, const BackupOptions& options) {
  // Before a cluster is made for it.
  if (const auto checked = backup::CheckBackup(options.place); !checked.ok())
    return Fail(checked.error());
  return WithAnySchema(
      settings, WhereAbsent::kMade, [&](const std::string& url, store::Store& store) {
        if (const auto sessions = store.CheckSessions(); !sessions.ok())
          return Fail(sessions.error());
        const auto restored =
            backup::Restore(store, {url, options.place, options.replace, options.revive_keys});
        if (!restored.ok()) return Fail(restored.error());
        TellManifest("restored " + options.place, restored->manifest);
        TellRevoked(restored->revoked);
        return 0;
      });
}

}  // namespace tunehub::server
