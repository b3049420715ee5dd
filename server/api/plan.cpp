// From what is wanted to jobs.
#include "server/api/body.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"
#include "server/service/model_shapes.h"
#include "server/service/planner.h"

namespace tunehub::api {
namespace {

constexpr std::chrono::milliseconds kCatchUp{1000};  // with a commit of a moment ago

constexpr std::size_t kMaxNameBytes = 128;
constexpr std::int64_t kMaxTp = 1024;

struct Asked {
  Asked asked;
  const auto read = ReadBody(
      request, kMaxBodyBytes,
      [&](core::JsonObject& body, core::JsonErrors& errors) { ReadPlan(body, errors, asked); });
  if (!read.ok()) return ProblemFor(read.error());
  if (const auto chosen = ChooseFamilies(services, asked.family, asked.plan); !chosen.ok())
    return ProblemFor(chosen.error());
  if (const auto added = AddModels(services, asked); !added.ok()) return ProblemFor(added.error());
  const auto context = MakeWriteContext(request, request.body, caller);
  if (!context.ok()) return ProblemFor(context.error());
  services.snapshots.WaitUpToDate(kCatchUp);
  return WrittenResponse(services.planner.Plan(asked.plan, *context));
}

}  // namespace

std::vector<Route> PlanRoutes(Services& services) {
  return {{"POST", "/jobs/plan",
           [&](const auto& request, const auto&, const auto& caller) {
             return PostPlan(services, request, caller);
           },
           "admin", true}};
}

}  // namespace tunehub::api
