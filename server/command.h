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

// Each command returns the exit status.

// Runs until SIGTERM or SIGINT: 0 after a signal, 1 if it cannot start. `migrate`: first brings
// schema, families and targets up to date, as the command `migrate`. Call it from the main thread.
int Serve(const Settings& settings, bool migrate);

// Reports what is wrong with this hub or its settings: returns 0 if nothing is, 1 if something is,
// 2 if a check could not run.
int Doctor(const core::Result<Settings>& settings, bool json);

struct BackupOptions {
  std::string place;
  int keep = 0;              // 0: `place` is the backup; else a folder that keeps so many backups
  bool replace = false;      // restore: also into a database that is not empty
  bool revive_keys = false;  // restore: keys become as in the backup, revoked ones too
};
int Backup(const Settings& settings, const BackupOptions& options);
int Restore(const Settings& settings, const BackupOptions& options);

struct ExportOptions {
  std::string place;
  std::vector<int> revisions;
  bool open = false;  // exports even if reads need a key
};
int Export(const Settings& settings, const ExportOptions& options);

struct VerifyOptions {
  std::string backup;  // verifies this backup in a temporary PostgreSQL; "": the database
  bool all = false;    // the digest of every revision
};
// 1 if a check fails.
int Verify(const Settings& settings, const VerifyOptions& options);

inline constexpr const char* kProgram = "tunehub-server";

// Prints the error on stderr. Returns the exit status.
int Fail(const core::Error& error);

// The database of a command: the named one, the cluster of a server that runs on the data folder,
// or a cluster that the command starts.
struct Database {
  std::string url;
  std::unique_ptr<embedded::Cluster> cluster;  // null if another process runs it
};

// For `serve`: never uses another server's cluster. Errors: those of embedded::Cluster::Start.
core::Result<Database> OwnDatabase(const Settings& settings);

// For short commands, also beside a running server: runs `work` on the database, whatever its
// schema. The exit status: that of `work`, or 1 without a database. kRefused: makes no cluster in a
// data folder that has none, because the folder's name may be a typing error.
enum class WhereAbsent { kMade, kRefused };
int WithDatabase(const Settings& settings, WhereAbsent absent,
                 const std::function<int(const Database&, ConnectionPool&)>& work);
// Like WithDatabase with kRefused, but the schema must be up to date.
int WithStore(const Settings& settings, const std::function<int(ConnectionPool&)>& work);

// If `migrate`, brings the schema up to date; else only checks it. Returns the number of applied
// migrations. Errors: newer_schema, older_schema, those of CheckSessions.
core::Result<int> PrepareSchema(ConnectionPool& pool, bool migrate);

// Reads the definitions from the configs folder and the database. Errors: bad_family, bad_targets;
// definitions_changed if a file differs from the one that judged the tables, unless `other` allows
// it. An allowed change judges every measurement of its family again, in a new revision.
core::Result<Definitions> LoadDefinitions(const std::filesystem::path& configs,
                                          ConnectionPool& pool, OtherFile other);

}  // namespace tunehub::server
