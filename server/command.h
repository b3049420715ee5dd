// What the short commands have in common.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "server/db/connection_pool.h"
#include "server/embedded/cluster.h"
#include "server/ingest/definition_store.h"
#include "server/settings.h"
#include "server/snapshots/definitions.h"

namespace tunehub::server {

// The database that a command works on: the one that was named, the cluster of a server that runs
// on the data folder, or a cluster of this command's own.

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

// From the configs folder and the database to what the services work with.

// Brings the schema up to date where `migrate`, else only checks it. Errors: newer_schema,
// older_schema.
core::Status PrepareSchema(ConnectionPool& pool, bool migrate);

// Errors: bad_family, bad_targets; definitions_changed where a file is another one than the tables
// were judged by and `other` does not allow that. Where it is taken, every measurement of a changed
// family is judged again, in a revision of its own.
core::Result<Definitions> LoadDefinitions(const std::filesystem::path& configs,
                                          ConnectionPool& pool, OtherFile other);

inline constexpr const char* kProgram = "tunehub-server";

// Says it on stderr. The exit status.
int Fail(const core::Error& error);

// Runs `work` on the database, its schema up to date. The exit status: that of `work`, or 1 where
// there is no such database; none is made.
int WithStore(const Settings& settings, const std::function<int(ConnectionPool&)>& work);

}  // namespace tunehub::server
