#include "server/command.h"

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <system_error>

#include "server/db/database_state.h"
#include "server/db/schema.h"

namespace tunehub::server {

core::Result<Database> OwnDatabase(const Settings& settings) {
  if (!settings.database.empty()) return Database{settings.database, nullptr};
  embedded::ClusterOptions options;
  options.data_dir = settings.data;
  options.wal_archive = settings.wal_archive;
  auto cluster = embedded::Cluster::Start(options);
  if (!cluster.ok()) return cluster.error();
  std::string url = (*cluster)->ConnectionString();
  return Database{std::move(url), *std::move(cluster)};
}

namespace {

core::Result<Database> AnyDatabase(const Settings& settings, WhereAbsent absent) {
  if (settings.database.empty()) {
    if (auto running = embedded::RunningOn(settings.data)) return Database{*running, nullptr};
    if (absent == WhereAbsent::kRefused && embedded::LacksCluster(settings.data)) {
      return core::Error{
          "no_hub", fmt::format("{} contains no hub. Name a hub's folder (--data) or its database "
                                "(--database). To make a hub, run `serve` or `migrate`",
                                settings.data.string())};
    }
  }
  return OwnDatabase(settings);
}

}  // namespace

int WithDatabase(const Settings& settings, WhereAbsent absent,
                 const std::function<int(const Database&, ConnectionPool&)>& work) {
  const auto database = AnyDatabase(settings, absent);
  if (!database.ok()) return Fail(database.error());
  ConnectionPool pool(database->url, {.size = 2});
  return work(*database, pool);
}

int WithStore(const Settings& settings, const std::function<int(ConnectionPool&)>& work) {
  return WithDatabase(settings, WhereAbsent::kRefused,
                      [&](const Database& database, ConnectionPool& pool) {
                        const auto prepared = PrepareSchema(pool, database.cluster != nullptr);
                        return prepared.ok() ? work(pool) : Fail(prepared.error());
                      });
}

core::Result<int> PrepareSchema(ConnectionPool& pool, bool migrate) {
  if (const auto sessions = CheckSessions(pool); !sessions.ok()) return sessions.error();
  if (migrate) return Schema(pool).Migrate();
  if (const auto checked = Schema(pool).Check(); !checked.ok()) return checked.error();
  return 0;
}

core::Result<Definitions> LoadDefinitions(const std::filesystem::path& configs,
                                          ConnectionPool& pool, OtherFile other) {
  auto families = core::Families::Load(configs / "families");
  if (!families.ok()) return families.error();
  auto targets = core::Targets::Load(configs / "targets.json");
  if (!targets.ok()) return targets.error();
  const auto revision = DefinitionStore(pool).SyncDefinitions(*families, *targets, other);
  if (!revision.ok()) return revision.error();
  if (*revision)
    spdlog::info("the definitions changed, so the hub judged all tables again: revision {}",
                 **revision);
  Definitions definitions{
      *std::move(families), *std::move(targets), {}, configs / "models", configs / "heuristics"};
  std::error_code error;
  if (std::filesystem::is_directory(configs / "readers", error)) {
    auto readers = core::Readers::Load(configs / "readers", definitions.families);
    if (!readers.ok()) return readers.error();
    definitions.readers = *std::move(readers);
  }
  const core::TextFolder folder = configs;
  if (const auto text = folder.Read("engines.json")) {
    auto reads = core::ParseEngineReads(folder.PlaceOf("engines.json"), *text);
    if (!reads.ok()) return reads.error();
    definitions.engine_reads = *std::move(reads);
  }
  for (const FamilyRecord& record : Schema(pool).Families())
    definitions.ids[record.name] = record.id;
  return definitions;
}

int Fail(const core::Error& error) {
  std::fprintf(stderr, "%s: %s: %s\n", kProgram, error.code.c_str(), error.detail.c_str());
  return kFailed;
}

}  // namespace tunehub::server
