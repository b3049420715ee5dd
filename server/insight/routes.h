// Routes of coverage, plans, verdicts, comparisons, differences and search.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "server/ingest/runs.h"
#include "server/insight/analyses.h"
#include "server/insight/coverage.h"
#include "server/insight/model_map.h"
#include "server/insight/overview.h"
#include "server/insight/trends.h"
#include "server/queue/queue.h"
#include "server/tables/routes.h"

namespace tunehub::server {

struct InsightServices : TableServices {
  ConnectionPool& pool;
  FamilyVersions& versions;
  Queue& queue;
  Runs& runs;
  Analyses& analyses;
  CoverageService& coverage;
  Overview& overview;
  ModelMaps& maps;
  Trends& trends;
};

std::vector<Endpoint> ChangeRoutes(const InsightServices& services);
std::vector<Endpoint> ComparisonRoutes(const InsightServices& services);
std::vector<Endpoint> CoverageRoutes(const InsightServices& services);
std::vector<Endpoint> DifferenceRoutes(const InsightServices& services);
std::vector<Endpoint> ModelRoutes(const InsightServices& services);
std::vector<Endpoint> OverviewRoutes(const InsightServices& services);
std::vector<Endpoint> PlanRoutes(const InsightServices& services);
std::vector<Endpoint> SearchRoutes(const InsightServices& services);
std::vector<Endpoint> VerdictRoutes(const InsightServices& services);

// [{"at", "kind", "text", ...}], the oldest first
nlohmann::ordered_json EventsJson(const TrendEvents& events);

}  // namespace tunehub::server
