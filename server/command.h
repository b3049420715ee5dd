// The commands of the program, and their common parts.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/exit_codes.h"
#include "core/base/result.h"
#include "server/db/connection_pool.h"
#include "server/embedded/cluster.h"
#include "server/ingest/definition_store.h"
#include "server/settings.h"
#include "server/snapshots/definitions.h"

namespace tunehub::server {

// Each command returns its exit status, of core/base/exit_codes.h.

// Runs until SIGTERM or SIGINT. Returns kGood after a signal, kFailed if it cannot start.
// `migrate`: true to run the command `migrate` first. Call it from the main thread.
int Serve(const Settings& settings, bool migrate);

// Prints faults of this hub and its settings. Returns kFailed without findings if a check could not
// run.
int Doctor(const core::Result<Settings>& settings, bool json);

struct BackupOptions {
  std::string place;
  // 0: `place` is the backup; else `place` is a folder with at most this many backups
  int keep = 0;
  bool replace = false;  // restore: allow a database that is not empty
  // restore: revoked keys also become valid again if they were valid in the backup
  bool revive_keys = false;
};
int Backup(const Settings& settings, const BackupOptions& options);
int Restore(const Settings& settings, const BackupOptions& options);

struct ExportOptions {
  std::string place;
  std::vector<int> revisions;
  bool open = false;  // export even if reads need a key
};
int Export(const Settings& settings, const ExportOptions& options);

struct VerifyOptions {
  std::string backup;  // the backup to verify in a temporary PostgreSQL; "": verify the database
  bool all = false;    // true: check the digest of every revision
};
// Returns kFinding if a check fails.
int Verify(const Settings& settings, const VerifyOptions& options);

inline constexpr const char* kProgram = "tunehub-server";

// Prints the error on stderr. Returns the exit status.
int Fail(const core::Error& error);

// A command's database: the database in the settings, the cluster of a running server on the data
// folder, or a cluster that the command starts.
struct Database {
  std::string url;
  std::unique_ptr<embedded::Cluster> cluster;  // null if another process runs the cluster
};

// For `serve`, which never uses another server's cluster. Errors: those of
// embedded::Cluster::Start.
core::Result<Database> OwnDatabase(const Settings& settings);

// Runs `work` on the database, whatever its schema. This is for short commands, also beside a
// running server. Returns the status of `work`, or kFailed without a database. kRefused: does not
// make a cluster in a data folder without one. (The folder's name may be a typing error.)
enum class WhereAbsent { kMade, kRefused };
int WithDatabase(const Settings& settings, WhereAbsent absent,
                 const std::function<int(const Database&, ConnectionPool&)>& work);
// Like WithDatabase with kRefused, but the schema must be up to date.
int WithStore(const Settings& settings, const std::function<int(ConnectionPool&)>& work);

// If `migrate`, brings the schema up to date; otherwise only checks it. Returns the number of
// applied migrations. Errors: newer_schema, older_schema, those of CheckSessions.
core::Result<int> PrepareSchema(ConnectionPool& pool, bool migrate);

// Reads the definitions from the configs folder and the database. If a changed definition is
// allowed, the hub judges every measurement of its family again, in a new revision. Errors:
// - bad_family, bad_targets
// - definitions_changed: a file differs from the database's file, and `other` forbids this
core::Result<Definitions> LoadDefinitions(const std::filesystem::path& configs,
                                          ConnectionPool& pool, OtherFile other);

}  // namespace tunehub::server
