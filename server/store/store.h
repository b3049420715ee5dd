// The registry's database behind plain structs, a class a subject. This folder and those below it
// alone know libpqxx. Every call may throw Unavailable; calls are safe from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

#include "core/base/histogram.h"
#include "server/store/analysis/measurements.h"
#include "server/store/backup/backup.h"
#include "server/store/connection/connection_figures.h"
#include "server/store/connection/database_state.h"
#include "server/store/connection/errors.h"
#include "server/store/ingest/batches.h"
#include "server/store/ingest/runs.h"
#include "server/store/points/points.h"
#include "server/store/queue/queue.h"
#include "server/store/registry/api_keys.h"
#include "server/store/registry/audit_log.h"
#include "server/store/registry/builds.h"
#include "server/store/registry/schema.h"
#include "server/store/tables/revisions.h"
#include "server/store/verify/verify.h"

namespace tunehub::store {

class ConnectionPool;
class Listener;

struct StoreOptions {
  std::size_t connections = 6;
  QueueTimes queue = {};
};

class Store {
 public:
  Store(std::string url, StoreOptions options = {});
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  Schema& schema() { return schema_; }
  KeyStore& keys() { return keys_; }
  AuditStore& audit() { return audit_; }
  RunStore& runs() { return runs_; }
  BatchStore& batches() { return batches_; }
  RevisionStore& revisions() { return revisions_; }
  MeasurementStore& measurements() { return measurements_; }
  QueueStore& queue() { return queue_; }
  BuildStore& builds() { return builds_; }
  PointStore& points() { return points_; }
  VerifyStore& verify() { return verify_; }
  BackupStore& backups() { return backups_; }
  StateStore& state() { return state_; }

  // Both from memory.
  ConnectionFigures connections() const;
  core::HistogramReading connection_waits() const;

  // Blocks up to `timeout_ms` for word of a commit by any server; true if there was one. From one
  // thread only. Throws Unavailable when the connection is lost; the next call connects again.
  bool AwaitChange(int timeout_ms);
  // Whether the database, as far as AwaitChange last saw, takes no writes.
  bool ReadOnly() const;
  // Error pooled_database (session_check.h).
  core::Status CheckSessions();
  // The end of the process: see ConnectionPool::Abandon.
  void Abandon();

 private:
  std::unique_ptr<ConnectionPool> pool_;
  std::unique_ptr<Listener> listener_;
  std::atomic<bool> read_only_{false};
  Schema schema_;
  KeyStore keys_;
  AuditStore audit_;
  RunStore runs_;
  BatchStore batches_;
  RevisionStore revisions_;
  MeasurementStore measurements_;
  QueueStore queue_;
  BuildStore builds_;
  PointStore points_;
  VerifyStore verify_;
  BackupStore backups_;
  StateStore state_;
};

}  // namespace tunehub::store
