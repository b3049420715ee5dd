// The database that a command works on: the one that was named, the cluster of a server that runs
// on the data folder, or a cluster of this command's own.
#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "server/embedded/cluster.h"
#include "server/settings.h"

namespace tunehub::server {

struct Database {
  std::string url;
  std::unique_ptr<embedded::Cluster> cluster;  // null where another process keeps it
};

// For `serve`: never a cluster of another server. Errors: those of embedded::Cluster::Start.
core::Result<Database> OwnDatabase(const Settings& settings);
enum class WhereAbsent { kMade, kRefused };
// For short commands: beside a running server too. Errors: those of Cluster::Start; no_hub, where
// the data folder has no cluster and none is to be made, because the folder may be a typing error.
core::Result<Database> AnyDatabase(const Settings& settings, WhereAbsent absent);

}  // namespace tunehub::server
