// All parts behind the HTTP interface. Each part comes after the parts that it needs.
#pragma once

#include <atomic>

#include "core/base/result.h"
#include "core/base/signature.h"
#include "server/db/connection_pool.h"
#include "server/ingest/ingest.h"
#include "server/ingest/runs.h"
#include "server/insight/analyses.h"
#include "server/insight/coverage.h"
#include "server/insight/model_map.h"
#include "server/insight/overview.h"
#include "server/insight/trends.h"
#include "server/keys/keys.h"
#include "server/ops/metrics.h"
#include "server/queue/queue.h"
#include "server/settings.h"
#include "server/snapshots/dispatch_tables.h"
#include "server/snapshots/revisions.h"
#include "server/snapshots/snapshots.h"
#include "server/tables/tuned_tables.h"
#include "server/webhook/webhook.h"

namespace tunehub::server {

struct Hub {
  // Starts no threads and reads nothing. All arguments except the key must outlive the hub.
  // `signing_key`: by default, the hub signs nothing.
  Hub(const Settings& settings, ConnectionPool& pool, const Definitions& definitions,
      core::SecretKey signing_key = {});

  ConnectionPool& pool;
  const Definitions& definitions;
  std::atomic<bool> stopping{false};  // set by a signal; /readyz reports it
  Keys keys;                          // outlives the snapshots, whose thread wakes the keys' thread
  FamilyVersions versions;
  Snapshots snapshots;
  Revisions revisions;
  Analyses analyses;
  TunedTables tables;
  Ingest ingest;
  Runs runs;
  Queue queue;
  Metrics metrics;
  DispatchTables dispatch_tables;
  CoverageService coverage;
  Overview overview;
  ModelMaps maps;
  Trends trends;
  Webhook webhook;
};

// If a family now describes an unlisted table, imports the table as rows of that family, under the
// source "unlisted". The old lines stay until somebody imports their own source again. Pins of the
// old lines stay, too. Errors: those of Ingest::Import.
core::Status ReadUnlistedAgain(Hub& hub);

}  // namespace tunehub::server
