// One endpoint: a row of a table. Its handler translates between HTTP and a service, no more.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "server/api/services.h"
#include "server/http/router.h"
#include "server/service/registry/write.h"

namespace tunehub::api {

// The holder of the request's key; of an open read nobody in particular.
using Caller = service::Writer;

using Handler =
    std::function<http::Response(const http::Request&, const http::PathParameters&, const Caller&)>;

// Calls `handle` with the services, the request, the path's parameter of that name where `handle`
// takes one, and the caller where it takes that.
template <typename Handle>
Handler With(Services& services, Handle handle, const char* parameter = "") {
  return [&services, handle, parameter](const http::Request& request,
                                        const http::PathParameters& path, const Caller& caller) {
    static_cast<void>(parameter);  // some handlers take none
    using Request = const http::Request&;
    if constexpr (std::is_invocable_v<Handle, Services&, Request>)
      return handle(services, request);
    else if constexpr (std::is_invocable_v<Handle, Services&, Request, const Caller&>)
      return handle(services, request, caller);
    else if constexpr (std::is_invocable_v<Handle, Services&, Request, std::string_view>)
      return handle(services, request, path.Get(parameter));
    else
      return handle(services, request, path.Get(parameter), caller);
  };
}

struct Endpoint {
  std::string method;
  std::string pattern;
  Handler handler;
  std::string scope = {};  // "": a read
  bool body_allowed = false;
  bool always_open = false;  // also where reads need a key: health checks
  // Which threads answer it, and which limit its askers have (limits.h). Else by its scope.
  std::optional<http::Pool> pool = {};
  bool in_memory = false;  // it never blocks: the reactor answers, behind nothing, without a limit
};

http::Pool PoolOf(const Endpoint& route);

// A read that computes, or asks the database for much.
inline Endpoint Heavy(Endpoint route) {
  route.pool = http::Pool::kHeavy;
  return route;
}

// One per resource file.
std::vector<Endpoint> TunedRoutes(Services& services);          // tuned.cpp
std::vector<Endpoint> FileRoutes(Services& services);           // files.cpp
std::vector<Endpoint> ResultRoutes(Services& services);         // results.cpp
std::vector<Endpoint> ImportRoutes(Services& services);         // import.cpp
std::vector<Endpoint> RunRoutes(Services& services);            // runs.cpp
std::vector<Endpoint> RevisionRoutes(Services& services);       // revisions.cpp
std::vector<Endpoint> FamilyRoutes(Services& services);         // families.cpp
std::vector<Endpoint> ShapeRoutes(Services& services);          // shapes.cpp
std::vector<Endpoint> BundleRoutes(Services& services);         // bundle.cpp
std::vector<Endpoint> BuildRoutes(Services& services);          // builds.cpp
std::vector<Endpoint> DemandRoutes(Services& services);         // demand.cpp
std::vector<Endpoint> UntunedRoutes(Services& services);        // untuned.cpp
std::vector<Endpoint> JobRoutes(Services& services);            // jobs.cpp
std::vector<Endpoint> PlanRoutes(Services& services);           // plan.cpp
std::vector<Endpoint> LeaseRoutes(Services& services);          // leases.cpp
std::vector<Endpoint> AgentRoutes(Services& services);          // agents.cpp
std::vector<Endpoint> LookupRoutes(Services& services);         // lookup.cpp
std::vector<Endpoint> CoverageRoutes(Services& services);       // coverage.cpp
std::vector<Endpoint> ModelCoverageRoutes(Services& services);  // model_coverage.cpp
std::vector<Endpoint> OverviewRoutes(Services& services);       // overview.cpp
std::vector<Endpoint> TrendRoutes(Services& services);          // trends.cpp
std::vector<Endpoint> RowRoutes(Services& services);            // rows.cpp
std::vector<Endpoint> SearchRoutes(Services& services);         // search.cpp
std::vector<Endpoint> SpeedupRoutes(Services& services);        // speedups.cpp
std::vector<Endpoint> CompareRoutes(Services& services);        // compare.cpp
std::vector<Endpoint> DifferenceRoutes(Services& services);     // differences.cpp
std::vector<Endpoint> HeuristicRoutes(Services& services);      // heuristics.cpp
std::vector<Endpoint> AuditRoutes(Services& services);          // audit.cpp
std::vector<Endpoint> VerdictRoutes(Services& services);        // verdict.cpp
std::vector<Endpoint> KeyRoutes(Services& services);            // keys.cpp
std::vector<Endpoint> OperationRoutes(Services& services);      // operations.cpp
std::vector<Endpoint> DashboardRoutes(Services& services);      // dashboard.cpp

// All of them.
std::vector<Endpoint> AllRoutes(Services& services);

}  // namespace tunehub::api
