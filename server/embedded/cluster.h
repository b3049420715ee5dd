// A PostgreSQL cluster of the server's own, inside its data folder: unix socket only, never as root.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/result.h"

namespace tunehub::embedded {

struct Options {
  std::filesystem::path data_dir;             // DIR: holds pg/ (the cluster), pg.lock
  std::chrono::seconds lock_wait{30};         // for a killed server's backends to leave
  std::chrono::seconds start_wait{60};        // for PostgreSQL to accept connections (crash recovery)
  std::chrono::seconds stop_wait{12};         // fast shutdown, then immediate
};

class Cluster {
 public:
  // Makes the cluster if DIR has none, recovers it if it crashed, and runs it as a child process.
  // Errors: data_dir_unusable, data_dir_busy, postgres_missing, postgres_version, postgres_failed.
  // From the main thread (the child dies with the thread that made it).
  static core::Result<std::unique_ptr<Cluster>> Start(const Options& options);
  ~Cluster();  // Stop()

  std::string ConnectionString() const;  // libpq keywords: "host=/run/... port=5432 user=... dbname=tunehub"
  bool Alive() const;                    // the postmaster still runs
  void Stop();

 private:
  struct Impl;
  explicit Cluster(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The connection string of the cluster that another server now runs on DIR, if one does.
std::optional<std::string> RunningOn(const std::filesystem::path& data_dir);

}  // namespace tunehub::embedded
