// Route of plans: jobs for demand, models, shapes and comparisons.
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <set>

#include "core/analysis/score.h"
#include "core/shapes/shape.h"
#include "core/table/table_writer.h"
#include "server/answers/body.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/answers/shapes.h"
#include "server/answers/target_parameters.h"
#include "server/insight/comparisons.h"
#include "server/insight/coverage.h"
#include "server/insight/routes.h"
#include "server/queue/job_json.h"
#include "server/queue/planner.h"

namespace tunehub::server {
namespace {

constexpr std::int64_t kLastTierM = 131'072;  // the last tier of fused MoE

// The base and the head of GET /compare.
struct ComparedSides {
  std::string base, head;
};

struct PlannedModel {
  ModelRequest model;
  std::int64_t max_m = std::numeric_limits<std::int64_t>::max();  // the largest M of a named grid
};

struct ParsedPlan {
  PlanRequest plan;
  std::string family;  // "": all
  std::vector<PlannedModel> models;
  std::optional<ComparedSides> compared;  // plan the shape keys on which these runs disagree
  std::vector<nlohmann::json> shapes;     // copied from the body
};

// {"model":"qwen3-32b","tp":8,"grid":"gl0","max_m":16384}
PlannedModel ReadModel(core::JsonObject& source) {
  PlannedModel planned;
  ModelRequest& model = planned.model;
  model.model = PlainText(source, "model", kMaxNameBytes, true);
  model.tp = BoundedInteger(source, "tp", 1, 1, kMaxTp);
  model.grid = source.Text("grid", model.grid);
  // Without max_m, uses all values of M in the grid.
  if (source.Has("max_m")) planned.max_m = BoundedInteger(source, "max_m", 0, 1, kLastTierM);
  return planned;
}

// {"base":"12","head":"13"}, {"shapes":[{"M":"16","N":"1280","K":"5120","count":9}]}, or a model.
void ReadSource(core::JsonObject& source, ParsedPlan& parsed) {
  if (source.Has("base")) {
    parsed.compared = {PlainText(source, "base", kMaxSideBytes, true),
                       PlainText(source, "head", kMaxSideBytes, true)};
  } else if (source.Has("shapes")) {
    if (const nlohmann::json* const shapes = ShapeList(source))
      parsed.shapes.insert(parsed.shapes.end(), shapes->begin(), shapes->end());
  } else {
    parsed.models.push_back(ReadModel(source));
  }
  source.Finish();
}

void ReadSources(core::JsonObject& body, core::JsonErrors& errors, ParsedPlan& parsed) {
  const nlohmann::json* const from = body.Value("from");
  parsed.plan.from_demand = from == nullptr;
  if (from == nullptr) return;
  if (!from->is_array() || from->empty()) {
    return body.Fail(
        "from",
        "must be an array of demand, other_targets, models and shapes, or of one comparison");
  }
  for (std::size_t i = 0; i < from->size(); ++i) {
    const nlohmann::json& source = from->at(i);
    if (source == "demand") {
      parsed.plan.from_demand = true;
    } else if (source == "other_targets") {
      parsed.plan.from_other_targets = true;
    } else if (source.is_object()) {
      core::JsonObject object(source, body.ItemPointer("from", i), errors);
      ReadSource(object, parsed);
    } else {
      errors.Add(body.ItemPointer("from", i),
                 "must be demand, other_targets, a model, shapes or a comparison");
    }
  }
  if (parsed.compared && from->size() > 1) {
    body.Fail("from",
              "must not have other sources beside a comparison, because jobs of a comparison only "
              "measure");
  }
  const bool of_one = parsed.compared || !parsed.models.empty() || !parsed.shapes.empty();
  if (of_one && parsed.family.empty()) {
    body.Fail("family", "is missing; a model, shapes or a comparison need one family");
  }
}

void ReadPlan(const InsightServices& services, core::JsonObject& body, core::JsonErrors& errors,
              ParsedPlan& parsed) {
  PlanRequest& plan = parsed.plan;
  plan.target = TargetOf(services, body, false);
  parsed.family = body.Text("family", "");
  plan.campaign = PlainText(body, "campaign", kMaxCampaignBytes, false);
  plan.priority =
      static_cast<int>(BoundedInteger(body, "priority", 0, -kMaxPriority, kMaxPriority));
  plan.shapes_per_job = static_cast<std::size_t>(BoundedInteger(
      body, "max_shapes_per_job", kDefaultJobShapes, 1, static_cast<std::int64_t>(kMaxJobShapes)));
  ReadSources(body, errors, parsed);
  plan.purpose = PurposeOf(body);
  const bool of_models = !parsed.models.empty() && parsed.shapes.empty() && !plan.from_demand &&
                         !plan.from_other_targets;
  if (plan.purpose == kVerify) plan.why = "no_default";
  if (plan.purpose == kVerify && !of_models) {
    body.Fail("purpose",
              "verify needs models alone, because it measures their unmeasured defaults");
  }
}

// Adds the named family. Without a name, adds every tunable family that the API key may write to.
void ChooseFamilies(const InsightServices& services, RequestQuery& query, const std::string& name,
                    const Caller& caller, PlanRequest& plan) {
  query.Take(CheckTarget(caller, plan.target.gfx, plan.target.cu_num));
  if (name.empty()) {
    for (const auto& family : services.definitions.families.all()) {
      if (family->objective == core::kNoColumn) continue;
      if (CheckFamily(caller, family->name).ok()) plan.families.push_back(family.get());
    }
    return;
  }
  query.Take(CheckFamily(caller, name));
  const core::Family* const family = query.Take(FindFamily(services, name));
  if (family != nullptr && family->objective == core::kNoColumn)
    query.Fail({"not_tunable", name + " cannot be tuned, because its rows have no time"});
  plan.families.push_back(family);
}

// Shapes of the target with a measured default.
std::set<std::string> ShapesWithDefault(const InsightServices& services, const core::Family& family,
                                        const core::Target& target) {
  const auto timed = services.analyses.speedups.Get({{&family}, {target.gfx, 0}, "", 0, ""});
  std::set<std::string> shapes;
  for (const analysis::SpeedupKey* key : timed.keys) {
    const bool here = family.cu_num == core::kNoColumn || key->cu_num == target.cu_num;
    if (here && key->has_default()) shapes.emplace(key->shape);
  }
  return shapes;
}

// The shapes with an exact tuned row whose default nobody has measured.
std::vector<core::ShapeDemand> WithoutDefault(const InsightServices& services,
                                              const core::Family& family,
                                              const core::Target& target,
                                              std::vector<core::ShapeDemand> shapes) {
  const FamilyCoverage all = services.coverage.Cover(family, std::move(shapes), target);
  const auto measured = ShapesWithDefault(services, family, target);
  std::string scratch;
  std::vector<core::ShapeDemand> found;
  for (const analysis::AnsweredShape& answered : all.coverage.shapes) {
    if (answered.state != analysis::State::kExact) continue;
    const std::string_view line = all.table->table.rows()[answered.answer.row].line;
    if (measured.contains(analysis::ShapeText(family, core::SplitLine(line, scratch)))) continue;
    found.push_back(all.shapes[answered.index]);
  }
  return found;
}

// `counted`: shapes whose demand was already counted for an earlier model of the plan.
core::Status AddModel(const InsightServices& services, const PlannedModel& asked, PlanRequest& plan,
                      std::set<std::string>& counted) {
  const core::Family& family = *plan.families.front();
  auto shapes = services.coverage.ShapesOf(asked.model, asked.max_m, family, plan.target);
  if (!shapes.ok()) return shapes.error();
  const bool verifies = plan.purpose == kVerify;
  auto wanted = *std::move(shapes);
  if (verifies) wanted = WithoutDefault(services, family, plan.target, std::move(wanted));
  for (core::ShapeDemand& it : wanted) {
    // A plan from demand already has the counts. Shapes to verify have no demand, because they are
    // tuned and no lookup misses them.
    const bool counts = !verifies && !plan.from_demand &&
                        counted.insert(core::OrderKeyOf(family, it.shape, "", 0)).second;
    plan.shapes.push_back({std::move(it.shape), counts ? it.count : 0});
  }
  return core::Ok();
}

core::Status AddModels(const InsightServices& services, ParsedPlan& parsed) {
  std::set<std::string> counted;
  for (const PlannedModel& asked : parsed.models) {
    const auto added = AddModel(services, asked, parsed.plan, counted);
    if (!added.ok()) return added;
  }
  return core::Ok();
}

// Adds the body's shapes, mapped by LookupShape. The error names the first invalid shape.
core::Status AddShapes(ParsedPlan& parsed) {
  for (std::size_t i = 0; i < parsed.shapes.size(); ++i) {
    const core::Family& family = *parsed.plan.families.front();
    const nlohmann::json& json = parsed.shapes[i];
    core::FamilyShape shape;
    const auto issue = ReadShapeJson(family, parsed.plan.target.gfx, json, i + 1, shape);
    if (issue) {
      return core::Error{
          "bad_shape", fmt::format("shape {}{}{}: {}: {}", i + 1, issue->column.empty() ? "" : ", ",
                                   issue->column, issue->code, issue->detail)};
    }
    const auto count = json.find("count");
    const bool counted = count != json.end() && count->is_number_integer();
    parsed.plan.shapes.push_back(
        {core::LookupShape(family, std::move(shape)),
         counted ? std::max<std::int64_t>(count->get<std::int64_t>(), 0) : 0});
  }
  return core::Ok();
}

core::FamilyShape ShapeOf(const core::Family& family, const analysis::KeyLines& key) {
  core::FamilyShape shape;
  shape.cells.resize(family.columns.size());
  for (const auto& [name, text] : key.shape()) {
    const std::size_t column = family.Find(name);
    if (family.columns[column].is_shape()) shape.cells[column] = text;
  }
  return shape;
}

// Adds the shapes on which the runs disagree. Agents measure them until three runs agree.
core::Status AddUnstable(const InsightServices& services, ParsedPlan& parsed) {
  if (!parsed.compared) return core::Ok();
  const auto base = ParseSide("base", parsed.compared->base);
  if (!base.ok()) return base.error();
  const auto head = ParseSide("head", parsed.compared->head);
  if (!head.ok()) return head.error();
  const core::Family& family = *parsed.plan.families.front();
  const auto comparison =
      services.analyses.comparisons.Get({*base, *head, {&family}, parsed.plan.target, {}});
  if (!comparison.ok()) return comparison.error();
  parsed.plan.purpose = kVerify;
  parsed.plan.why = "unsettled";
  for (const analysis::Compared& key : (*comparison)->keys) {
    if (key.change != analysis::Change::kUnstable) continue;
    parsed.plan.shapes.push_back({ShapeOf(family, key.key)});
  }
  return core::Ok();
}

http::Response PostPlan(const InsightServices& services, const http::Request& request,
                        const Caller& caller) {
  RequestQuery query(request, {"dry_run"});
  ParsedPlan parsed;
  ReadBody(query, request, kMaxBodyBytes, [&](core::JsonObject& body, core::JsonErrors& errors) {
    ReadPlan(services, body, errors, parsed);
  });
  ChooseFamilies(services, query, parsed.family, caller, parsed.plan);
  // Each step extends the plan of the earlier steps.
  if (query.ok()) services.snapshots.WaitUpToDate();
  if (query.ok()) query.Take(AddModels(services, parsed));
  if (query.ok()) query.Take(AddShapes(parsed));
  if (query.ok()) query.Take(AddUnstable(services, parsed));
  const WriteRequest write = ReadWriteRequest(query, request, request.body, caller);
  if (!query.ok()) return ProblemFor(query.error());
  return WriteResponse(services.queue.planner.Plan(parsed.plan, write).answer);
}

}  // namespace

std::vector<Endpoint> PlanRoutes(const InsightServices& services) {
  return {
      {"POST", "/jobs/plan", With(services, PostPlan), "admin", true},
  };
}

}  // namespace tunehub::server
