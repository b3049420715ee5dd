// From what is wanted to jobs.
#include "server/api/body.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"
#include "server/service/planner.h"

namespace tunehub::api {
namespace {

constexpr std::chrono::milliseconds kCatchUp{1000};  // with a commit of a moment ago

void ReadSource(const nlohmann::json& source, std::size_t place, core::JsonObject& body,
                service::PlanRequest& plan) {
  if (source == "demand") {
    plan.from_demand = true;
  } else if (source == "other_targets") {
    plan.from_other_targets = true;
  } else {
    body.Fail("from", "item " + std::to_string(place) + ": must be demand or other_targets");
  }
}

void ReadPlan(core::JsonObject& body, service::PlanRequest& plan, std::string& family) {
  plan.target = TargetOf(body, false);
  family = body.Text("family", "");
  plan.campaign = PlainText(body, "campaign", kMaxCampaignBytes, false);
  plan.priority =
      static_cast<int>(BoundedInteger(body, "priority", 0, -kMaxPriority, kMaxPriority));
  plan.shapes_per_job = static_cast<std::size_t>(
      BoundedInteger(body, "max_shapes_per_job", service::kDefaultJobShapes, 1,
                     static_cast<std::int64_t>(service::kMaxJobShapes)));
  const nlohmann::json* const from = body.Value("from");
  plan.from_demand = from == nullptr;
  if (from == nullptr) return;
  if (!from->is_array() || from->empty()) {
    body.Fail("from", "must be an array of demand or other_targets, or both");
    return;
  }
  for (std::size_t i = 0; i < from->size(); ++i) ReadSource(from->at(i), i, body, plan);
}

// Every family that can be tuned, or the one that was named.
core::Status ChooseFamilies(const Services& services, const std::string& name,
                            service::PlanRequest& plan) {
  if (name.empty()) {
    for (const auto& family : services.definitions.families.all()) {
      if (family->objective != core::kNoColumn) plan.families.push_back(family.get());
    }
    return core::Ok();
  }
  const auto family = FindFamily(services, name);
  if (!family.ok()) return family.error();
  if ((*family)->objective == core::kNoColumn) {
    return core::Error{"not_tunable", name + " has no time that a tuner could lower"};
  }
  plan.families.push_back(*family);
  return core::Ok();
}

http::Response PostPlan(Services& services, const http::Request& request, const Caller& caller) {
  if (const auto known = CheckParameters(request, {"dry_run"}); !known.ok())
    return ProblemFor(known.error());
  service::PlanRequest plan;
  std::string family;
  const auto read = ReadBody(request, kMaxBodyBytes,
                             [&](core::JsonObject& body) { ReadPlan(body, plan, family); });
  if (!read.ok()) return ProblemFor(read.error());
  if (const auto chosen = ChooseFamilies(services, family, plan); !chosen.ok())
    return ProblemFor(chosen.error());
  const auto context = MakeWriteContext(request, request.body, caller);
  if (!context.ok()) return ProblemFor(context.error());
  services.snapshots.WaitUpToDate(kCatchUp);
  return WrittenResponse(services.planner.Plan(plan, *context));
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
