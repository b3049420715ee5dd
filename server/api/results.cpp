#include <limits>

#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"

namespace tunehub::api {
namespace {

http::Response PostResults(Services& services, const http::Request& request,
                           std::string_view family_name, const Caller& caller) {
  const auto family = FindFamily(services, family_name);
  if (!family.ok()) return ProblemFor(family.error());
  const auto known = CheckParameters(request, {"run", "atomic", "dry_run"});
  if (!known.ok()) return ProblemFor(known.error());
  const auto run = NumberParameter(request, "run", 1, std::numeric_limits<std::int64_t>::max());
  if (!run.ok()) return ProblemFor(run.error());
  const auto format = FormatOf(request);
  if (!format.ok()) return ProblemFor(format.error());
  const auto body = DecodedBody(request, services.body_bytes);
  if (!body.ok()) return ProblemFor(body.error());
  const auto context = MakeWriteContext(request, *body, caller);
  if (!context.ok()) return ProblemFor(context.error());
  return WrittenResponse(services.ingest.Results(**family, *body, *format, *run, *context));
}

}  // namespace

std::vector<Route> ResultRoutes(Services& services) {
  return {{"POST", "/results/{family}",
           [&](const auto& request, const auto& path, const auto& caller) {
             return PostResults(services, request, path.Get("family"), caller);
           },
           "submit", true}};
}

}  // namespace tunehub::api
