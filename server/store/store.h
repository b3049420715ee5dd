// The registry's database behind plain structs. The only folder that knows libpqxx. Every call may
// throw Unavailable; calls are safe from any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "server/store/analysis/measurements.h"
#include "server/store/connection/errors.h"
#include "server/store/ingest/batches.h"
#include "server/store/ingest/runs.h"
#include "server/store/queue/queue.h"
#include "server/store/registry/api_keys.h"
#include "server/store/registry/builds.h"
#include "server/store/registry/schema.h"
#include "server/store/tables/revisions.h"

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
  ~Store();

  Schema& schema() { return schema_; }
  ApiKeys& keys() { return keys_; }
  Runs& runs() { return runs_; }
  Batches& batches() { return batches_; }
  Revisions& revisions() { return revisions_; }
  Measurements& measurements() { return measurements_; }
  Queue& queue() { return queue_; }
  Builds& builds() { return builds_; }

  // Blocks up to `timeout_ms` for word of a commit by any server; true if there was one. From one
  // thread only. Throws Unavailable when the connection is lost; the next call connects again.
  bool AwaitChange(int timeout_ms);
  bool Reachable();

 private:
  std::unique_ptr<ConnectionPool> pool_;
  std::unique_ptr<Listener> listener_;
  Schema schema_;
  ApiKeys keys_;
  Runs runs_;
  Batches batches_;
  Revisions revisions_;
  Measurements measurements_;
  Queue queue_;
  Builds builds_;
};

}  // namespace tunehub::store
