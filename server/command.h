// The commands of the program, and what they have in common.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "server/db/connection_pool.h"
#include "server/embedded/cluster.h"
#include "server/ingest/definition_store.h"
#include "server/settings.h"
#include "server/snapshots/definitions.h"

namespace tunehub::server {

// Each command answers the exit status.

// Until SIGTERM or SIGINT: 0 after a signal, 1 where it cannot start. `migrate`: schema, families
// and targets of any database are brought up to date first, as the command of that name does. From
// the main thread.
int Serve(const Settings& settings, bool migrate);

// Says what is wrong with the hub of these settings, or with them: 0 nothing is, 1 something is, 2
// it could not be looked at.
int Doctor(const core::Result<Settings>& settings, bool json);

struct BackupOptions {
  std::string place;
  int keep = 0;          // 0: the place is the backup; else it has backups, of which so many stay
  bool replace = false;  // restore: also into a database that is not empty
  bool revive_keys = false;  // restore: all keys are as in the backup
};
int Backup(const Settings& settings, const BackupOptions& options);
int Restore(const Settings& settings, const BackupOptions& options);

struct ExportOptions {
  std::string place;
  std::vector<int> revisions;
  bool open = false;  // also where reads need a key
};
int Export(const Settings& settings, const ExportOptions& options);

// `backup`: a backup, restored into a PostgreSQL that lives as long as this; "": the database. 1
// where something does not hold.
int Verify(const Settings& settings, const std::string& backup);

inline constexpr const char* kProgram = "tunehub-server";

// Says it on stderr. The exit status.
int Fail(const core::Error& error);

// The database that a command works on: the one that was named, the cluster of a server that runs
// on the data folder, or a cluster of this command's own.
struct Database {
  std::string url;
  std::unique_ptr<embedded::Cluster> cluster;  // null where another process keeps it
};

// For `serve`: never a cluster of another server. Errors: those of embedded::Cluster::Start.
core::Result<Database> OwnDatabase(const Settings& settings);

// For short commands, beside a running server too: runs `work` on the database, whatever its
// schema. The exit status: that of `work`, or 1 where there is no such database. kRefused: where
// the data folder has no cluster none is made, because the folder may be a typing error.
enum class WhereAbsent { kMade, kRefused };
int WithDatabase(const Settings& settings, WhereAbsent absent,
                 const std::function<int(const Database&, ConnectionPool&)>& work);
// The same where none is made, and its schema is up to date.
int WithStore(const Settings& settings, const std::function<int(ConnectionPool&)>& work);

// Brings the schema up to date where `migrate`, else only checks it. How many migrations were
// applied. Errors: newer_schema, older_schema, those of CheckSessions.
core::Result<int> PrepareSchema(ConnectionPool& pool, bool migrate);

// From the configs folder and the database to what the services work with. Errors: bad_family,
// bad_targets; definitions_changed where a file is another one than the tables were judged by and
// `other` does not allow that. Where it is taken, every measurement of a changed family is judged
// again, in a revision of its own.
core::Result<Definitions> LoadDefinitions(const std::filesystem::path& configs,
                                          ConnectionPool& pool, OtherFile other);

}  // namespace tunehub::server
