// What the handlers work with. Everything outlives the listener.
#pragma once

#include <cstddef>

#include "server/service/analyses.h"
#include "server/service/coverage.h"
#include "server/service/dashboard.h"
#include "server/service/definitions.h"
#include "server/service/demand.h"
#include "server/service/demand_planner.h"
#include "server/service/dispatch_tables.h"
#include "server/service/ingest.h"
#include "server/service/keys.h"
#include "server/service/metrics.h"
#include "server/service/model_coverage.h"
#include "server/service/planner.h"
#include "server/service/snapshots.h"
#include "server/service/tuned_tables.h"
#include "server/store/store.h"

namespace tunehub::api {

struct Services {
  const service::Definitions& definitions;
  store::Store& store;
  service::Snapshots& snapshots;
  service::TunedTables& tables;
  service::Ingest& ingest;
  service::Demand& demand;
  service::Planner& planner;
  service::DemandPlanner& demand_planner;
  service::Keys& keys;
  service::FamilyVersions& versions;
  service::Metrics& metrics;
  service::DispatchTables& dispatch_tables;
  service::CoverageService& coverage;
  service::ModelCoverage& model_coverage;
  service::Analyses& analyses;
  service::Dashboard dashboard;
  bool plan_on_claim = true;                  // claims turn demand into jobs
  bool reads_need_key = false;                // else anybody may read
  std::size_t body_bytes = 64 * 1024 * 1024;  // of an unpacked body
};

}  // namespace tunehub::api
