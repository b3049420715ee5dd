// Collects metrics that are not in memory: of the database, the disk and the backups. A thread
// refreshes them, so that a scrape never waits. While the database does not answer, the last
// figures stay.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/threads.h"
#include "server/db/connection_pool.h"
#include "server/db/database_state.h"
#include "server/queue/job_store.h"

namespace tunehub::server {

// An absent value is unknown or does not exist.
struct Seen {
  std::optional<JobCounts> jobs;
  DatabaseState database;
  std::optional<std::int64_t> database_bytes;
  std::vector<DeviceDrift> drift;
  std::optional<std::filesystem::space_info> disk;  // of the data folder
  // Time of the latest backup. A folder without backups has the earliest possible time.
  std::optional<std::chrono::system_clock::time_point> backup;
};

class Lookout {
 public:
  // `data`: the embedded database's folder. `backups`: the folder of backups. "": none.
  Lookout(ConnectionPool& pool, std::filesystem::path data, std::filesystem::path backups)
      : pool_(pool), data_(std::move(data)), backups_(std::move(backups)) {}

  // Collects the metrics once in the caller's thread, then repeatedly in its own thread.
  void Start();
  void Stop() { thread_.Stop(); }

  // Reads only memory.
  Seen seen() const;

 private:
  void Follow();
  void LookAtFiles();
  bool LookAtDatabase(bool at_size);

  ConnectionPool& pool_;
  const std::filesystem::path data_, backups_;
  mutable std::mutex mutex_;
  Seen seen_;                 // guarded by mutex_
  core::WokenThread thread_;  // last: it ends before the members that it uses are destroyed
};

}  // namespace tunehub::server
