// The server's own PostgreSQL cluster, in its data folder. It listens only on a unix socket, and
// never runs as root.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/base/file.h"
#include "core/base/result.h"
#include "server/embedded/db_user.h"
#include "server/embedded/launch.h"
#include "server/embedded/log_file.h"

namespace tunehub::embedded {

struct ClusterOptions {
  std::filesystem::path data_dir;      // DIR, with pg/ (the cluster), pg.lock, server.lock, pg.log
  std::chrono::seconds lock_wait{30};  // how long to wait for the backends of a killed server
  // How long to wait until PostgreSQL accepts connections. Crash recovery of max_wal_size takes
  // minutes on a slow disk. If the server gave up, it would only start the recovery again.
  std::chrono::seconds start_wait{300};
  std::chrono::seconds stop_wait{12};  // limit of a fast shutdown and then an immediate one
  // PostgreSQL settings that override ours. Use fsync=off only in tests.
  std::map<std::string, std::string> extra_settings = {};
  std::filesystem::path postgres_root = "/usr/lib/postgresql";  // ROOT/<major>/bin
  std::filesystem::path wal_archive = {};  // folder of the WAL archive; "": no archive
};

// Not thread-safe.
class Cluster {
 public:
  // Makes the cluster if DIR has none, recovers it if it crashed, and runs it as a child process.
  // Errors: data_dir_unusable, data_dir_busy, postgres_missing, postgres_version, postgres_failed.
  // Call it from the main thread, because the child dies with the thread that made it.
  static core::Result<std::unique_ptr<Cluster>> Start(const ClusterOptions& options);
  ~Cluster();  // Stop()
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  std::string ConnectionString() const;  // libpq: "host=/run/... port=5432 user=... dbname=tunehub"
  bool Alive();                          // true if the postmaster still runs

  // Restarts a PostgreSQL that died (!Alive()), after its last process has ended. The connection
  // string stays the same. Call it from the main thread. Errors: as of Start().
  core::Status Restart();
  // Tells the next server on DIR to wait for the end of this server.
  void AnnounceStop();
  void Stop();

 private:
  explicit Cluster(ClusterOptions options) : options_(std::move(options)) {}
  std::filesystem::path PgDir() const { return options_.data_dir / "pg"; }
  core::Status Prepare();
  core::Status Run();
  core::Status CreateIfMissing(const Binaries& binaries);
  core::Status LaunchPostmaster(const Binaries& binaries);
  core::Status AwaitReady();
  // Sends SIGINT (fast shutdown) at once, SIGQUIT (immediate shutdown) after two thirds of
  // stop_wait, and SIGKILL after stop_wait. Backends may outlive the SIGKILL for a moment. The next
  // start waits for them by pg.lock.
  void StopPostmaster();
  void Signal(int signal);
  bool WaitGone(std::chrono::milliseconds wait);

  ClusterOptions options_;  // once prepared, data_dir is absolute
  DatabaseUser user_;
  core::Fd server_lock_;
  core::Fd postgres_lock_;
  std::unique_ptr<LogFile> log_;
  std::filesystem::path socket_dir_;
  pid_t postmaster_ = 0;  // the pid of our child; 0: none, or it ended and was reaped
};

// True if DIR has no cluster. False if the server cannot look into DIR.
bool LacksCluster(const std::filesystem::path& data_dir);

// Returns the connection string of the cluster that another server runs on DIR, if there is one.
std::optional<std::string> RunningOn(const std::filesystem::path& data_dir);

}  // namespace tunehub::embedded
