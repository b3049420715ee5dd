#include "server/database.h"

#include <fmt/core.h>

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

core::Result<Database> AnyDatabase(const Settings& settings, WhereAbsent absent) {
  if (settings.database.empty()) {
    if (auto running = embedded::RunningOn(settings.data)) return Database{*running, nullptr};
    if (absent == WhereAbsent::kRefused && embedded::LacksCluster(settings.data)) {
      return core::Error{
          "no_hub", fmt::format("{} has no hub: name the folder of one (--data), or its database "
                                "(--database); `serve` and `migrate` make one",
                                settings.data.string())};
    }
  }
  return OwnDatabase(settings);
}

}  // namespace tunehub::server
