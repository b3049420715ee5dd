// From what is wanted to jobs.
#include "server/api/body.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"
#include "server/service/model_shapes.h"
#include "server/service/planner.h"

namespace tunehub::api {
namespace {

constexpr std::size_t kMaxNameBytes = 128;
constexpr std::int64_t kMaxTp = 1024;

struct Asked {
  service::PlanRequest plan;
  std::string family;  // "": all
  std::vector<service::ModelDemand> models;
};

// {"model":"qwen3-32b","tp":8,"grid":"gl0"}
service::ModelDemand ReadModel(core::JsonObject& source) {
  service::ModelDemand demand;
  demand.model = PlainText(source, "model", kMaxNameBytes, true);
  demand.tp = BoundedInteger(source, "tp", 1, 1, kMaxTp);
  demand.grid = source.Text("grid", demand.grid);
  source.Finish();
  return demand;
}

void ReadSources(core::JsonObject& body, core::JsonErrors& errors, Asked& asked) {
  const nlohmann::json* const from = body.Value("from");
  asked.plan.from_demand = from == nullptr;
  if (from == nullptr) return;
  if (!from->is_array() || from->empty()) {
    return body.Fail("from", "must be an array of demand, other_targets or models");
  }
  for (std::size_t i = 0; i < from->size(); ++i) {
    const nlohmann::json& source = from->at(i);
    if (source == "demand") {
      asked.plan.from_demand = true;
    } else if (source == "other_targets") {
      asked.plan.from_other_targets = true;
    } else if (source.is_object()) {
      core::JsonObject object(source, body.ItemPointer("from", i), errors);
      asked.models.push_back(ReadModel(object));
    } else {
      errors.Add(body.ItemPointer("from", i), "must be demand, other_targets or a model");
    }
  }
  if (!asked.models.empty() && asked.family.empty()) {
    body.Fail("family", "is missing: a model asks each family for other shapes");
  }
}

void ReadPlan(core::JsonObject& body, core::JsonErrors& errors, Asked& asked) {
  service::PlanRequest& plan = asked.plan;
  plan.target = TargetOf(body, false);
  asked.family = body.Text("family", "");
  plan.campaign = PlainText(body, "campaign", kMaxCampaignBytes, false);
  plan.priority =
      static_cast<int>(BoundedInteger(body, "priority", 0, -kMaxPriority, kMaxPriority));
  plan.shapes_per_job = static_cast<std::size_t>(
      BoundedInteger(body, "max_shapes_per_job", service::kDefaultJobShapes, 1,
                     static_cast<std::int64_t>(service::kMaxJobShapes)));
  ReadSources(body, errors, asked);
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

core::Status AddModels(const Services& services, Asked& asked) {
  for (const service::ModelDemand& demand : asked.models) {
    for (const core::Family* family : asked.plan.families) {
      auto shapes = service::ShapesOf(services.definitions, *family, asked.plan.target.gfx, demand);
      if (!shapes.ok()) return shapes.error();
      for (auto& shape : *shapes) asked.plan.shapes.emplace_back(family, std::move(shape));
    }
  }
  return core::Ok();
}

http::Response PostPlan(Services& services, const http::Request& request, const Caller& caller) {
  if (const auto known = CheckParameters(request, {"dry_run"}); !known.ok())
    return ProblemFor(known.error());
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
  services.snapshots.WaitUpToDate();
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
