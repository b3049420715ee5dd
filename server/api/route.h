// One endpoint: a row of a table. Its handler translates between HTTP and a service, no more.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "server/api/services.h"
#include "server/http/router.h"

namespace tunehub::api {

struct Caller {
  std::int64_t api_key = 0;  // 0: nobody in particular
};

struct Route {
  std::string method;
  std::string pattern;
  std::function<http::Response(const http::Request&, const http::PathParameters&, const Caller&)>
      handler;
  std::string scope = {};  // "": a read
  bool body_allowed = false;
  bool always_open = false;  // also where reads need a key: health checks
};

// One per resource file.
std::vector<Route> TunedRoutes(Services& services);          // tuned.cpp
std::vector<Route> ResultRoutes(Services& services);         // results.cpp
std::vector<Route> ImportRoutes(Services& services);         // import.cpp
std::vector<Route> RunRoutes(Services& services);            // runs.cpp
std::vector<Route> RevisionRoutes(Services& services);       // revisions.cpp
std::vector<Route> FamilyRoutes(Services& services);         // families.cpp
std::vector<Route> ShapeRoutes(Services& services);          // shapes.cpp
std::vector<Route> BundleRoutes(Services& services);         // bundle.cpp
std::vector<Route> BuildRoutes(Services& services);          // builds.cpp
std::vector<Route> DemandRoutes(Services& services);         // demand.cpp
std::vector<Route> UntunedRoutes(Services& services);        // untuned.cpp
std::vector<Route> JobRoutes(Services& services);            // jobs.cpp
std::vector<Route> PlanRoutes(Services& services);           // plan.cpp
std::vector<Route> LeaseRoutes(Services& services);          // leases.cpp
std::vector<Route> AgentRoutes(Services& services);          // agents.cpp
std::vector<Route> LookupRoutes(Services& services);         // lookup.cpp
std::vector<Route> CoverageRoutes(Services& services);       // coverage.cpp
std::vector<Route> ModelCoverageRoutes(Services& services);  // model_coverage.cpp
std::vector<Route> RowRoutes(Services& services);            // rows.cpp
std::vector<Route> SearchRoutes(Services& services);         // search.cpp
std::vector<Route> SpeedupRoutes(Services& services);        // speedups.cpp
std::vector<Route> CompareRoutes(Services& services);        // compare.cpp
std::vector<Route> HeuristicRoutes(Services& services);      // heuristics.cpp
std::vector<Route> OperationRoutes(Services& services);      // operations.cpp
std::vector<Route> DashboardRoutes(Services& services);      // dashboard.cpp

// All of them.
std::vector<Route> AllRoutes(Services& services);

}  // namespace tunehub::api
