// What the handlers work with. Everything outlives the listener.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "server/http/pool.h"
#include "server/service/analysis/analyses.h"
#include "server/service/analysis/coverage.h"
#include "server/service/analysis/dispatch_tables.h"
#include "server/service/analysis/model_coverage.h"
#include "server/service/analysis/overview.h"
#include "server/service/ingest/ingest.h"
#include "server/service/ingest/runs.h"
#include "server/service/operations/dashboard.h"
#include "server/service/operations/metrics.h"
#include "server/service/queue/queue.h"
#include "server/service/registry/audit_log.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/keys.h"
#include "server/service/registry/revisions.h"
#include "server/service/registry/snapshots.h"
#include "server/service/tables/tuned_tables.h"
#include "server/service/trends/trends.h"

namespace tunehub::api {

struct Services {
  const service::Definitions& definitions;
  service::Snapshots& snapshots;
  service::Revisions& revisions;
  service::TunedTables& tables;
  service::Ingest& ingest;
  service::Runs& runs;
  service::Queue& queue;
  service::Keys& keys;
  service::FamilyVersions& versions;
  service::Metrics& metrics;
  service::DispatchTables& dispatch_tables;
  service::CoverageService& coverage;
  service::ModelCoverage& model_coverage;
  service::Overview& overview;
  service::Trends& trends;
  service::Analyses& analyses;
  service::AuditLog& audit;
  service::Dashboard dashboard;
  bool reads_need_key = false;                  // else anybody may read
  std::size_t body_bytes = 64 * 1024 * 1024;    // of an unpacked body
  bool log_access = false;                      // a line for each answer
  const std::atomic<bool>* stopping = nullptr;  // the process was told to end; null: never
  // Requests a second of one key or address, by pool (limits.h); 0: as many as come.
  std::array<double, http::kPools> limits = {};
};

}  // namespace tunehub::api
