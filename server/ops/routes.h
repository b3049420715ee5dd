// Routes: health, metrics, the interface's description, and the dashboard.
#pragma once

#include <atomic>
#include <filesystem>
#include <vector>

#include "server/answers/route.h"
#include "server/ops/dashboard.h"
#include "server/ops/metrics.h"

namespace tunehub::server {

struct OperationServices : Services {
  Metrics& metrics;
  const Dashboard& dashboard;
  const std::atomic<bool>& stopping;  // true once a signal ends the process
  std::filesystem::path data = {};    // folder of the embedded PostgreSQL; "": another PostgreSQL
};

std::vector<Endpoint> OperationRoutes(const OperationServices& services);
std::vector<Endpoint> DashboardRoutes(const OperationServices& services);

}  // namespace tunehub::server
