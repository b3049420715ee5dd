#include "server/queue/planner.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "core/row/cell.h"
#include "core/row/row.h"
#include "core/row/target.h"
#include "core/shapes/shape.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"
#include "server/answers/shapes.h"

namespace tunehub::server {

core::Hash128 RowKeyOf(const core::Family& family, const core::FamilyShape& shape,
                       const core::Target& target) {
  const std::string cus = target.cu_num > 0 ? std::to_string(target.cu_num) : "";
  core::Cells cells(shape.cells.begin(), shape.cells.end());
  core::PutTarget(family, target.gfx, cus, cells);
  std::string text;
  core::AppendKeyText(text, family, cells);
  return core::HashOf(text);
}

bool IsTuned(const FamilySnapshot& snapshot, const core::FamilyShape& shape,
             const core::Target& target) {
  const core::Family& family = *snapshot.family;
  const std::string order = core::OrderKeyOf(family, shape, target.gfx, target.cu_num);
  auto row =
      std::lower_bound(snapshot.rows.begin(), snapshot.rows.end(), order,
                       [](const auto& it, const std::string& key) { return it->order < key; });
  for (; row != snapshot.rows.end() && (*row)->order == order; ++row) {
    if ((*row)->by_default() && (*row)->standing <= core::Standing::kDeclared &&
        !(*row)->baseline) {
      return true;
    }
  }
  return false;
}

namespace {

// Adds the shape to `demand`, or `count` to its misses.
void AddDemand(const core::Family& family, core::FamilyShape shape, std::int64_t count,
               DemandByShape& demand) {
  std::string order = core::OrderKeyOf(family, shape, "", 0);
  core::ShapeDemand& entry = demand[std::move(order)];
  entry.shape = std::move(shape);
  entry.count += count;
}

}  // namespace

DemandByShape UntunedDemand(const FamilySnapshot& snapshot, const std::vector<DemandRecord>& demand,
                            const core::Target& target, std::vector<core::Hash128>* met) {
  DemandByShape untuned;
  for (const DemandRecord& record : demand) {
    auto shapes = ReadStoredShapes(*snapshot.family, "[" + record.shape + "]");
    std::erase_if(shapes, [&](const auto& shape) { return IsTuned(snapshot, shape, target); });
    if (shapes.empty() && met != nullptr) met->push_back(record.id);
    for (core::FamilyShape& shape : shapes)
      AddDemand(*snapshot.family, std::move(shape), record.count, untuned);
  }
  return untuned;
}

std::vector<core::ShapeDemand> MostMissedFirst(DemandByShape demand) {
  std::vector<core::ShapeDemand> shapes;
  for (auto& [order, shape] : demand) shapes.push_back(std::move(shape));
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const auto& a, const auto& b) { return a.count > b.count; });
  return shapes;
}

struct FamilyPlan {
  const core::Family* family = nullptr;
  std::int16_t id = 0;
  std::size_t wanted = 0, tuned = 0, unreachable = 0, queued = 0;
  DemandByShape shapes;    // shapes to plan
  DemandMarks marks;       // demand that needs no further plan
  std::int64_t known = 0;  // the newest batch that the plan knows
};

namespace {

using Json = nlohmann::ordered_json;

struct PlannedJob : JobContent {
  std::string family_name;
  std::size_t shape_count = 0;
};

// True for an fp8 type that the target lacks. AITER never looks the shape up on that target.
bool IsUnreachable(const core::Family& family, const core::Targets& targets,
                   const core::FamilyShape& shape, const core::Target& target) {
  const std::string cus = std::to_string(target.cu_num);
  core::Cells cells(shape.cells.begin(), shape.cells.end());
  core::PutTarget(family, target.gfx, cus, cells);
  const auto warnings = core::CheckReach(family, targets, cells);
  return std::any_of(warnings.begin(), warnings.end(),
                     [](const auto& warning) { return warning.code == "fp8_of_other_arch"; });
}

// Adds every shape that another target has tuned.
void AddTunedElsewhere(const FamilySnapshot& snapshot, DemandByShape& shapes) {
  for (const auto& row : snapshot.rows) {
    if (row->standing != core::Standing::kMeasured || row->baseline) continue;
    AddDemand(*snapshot.family, ShapeOfLine(*snapshot.family, row->line), 0, shapes);
  }
}

FamilyPlan Gather(const PlanRequest& request, const core::Targets& targets,
                  const FamilySnapshot& snapshot, const std::vector<DemandRecord>& demand) {
  FamilyPlan plan;
  plan.family = snapshot.family;
  plan.id = snapshot.id;
  plan.known = snapshot.change;
  if (request.from_demand) {
    std::vector<core::Hash128> met;
    plan.shapes = UntunedDemand(snapshot, demand, request.target, &met);
    for (const core::Hash128& id : met) plan.marks.emplace_back(id, kNoJob);
  }
  plan.wanted = plan.tuned = plan.marks.size();
  if (request.from_other_targets) AddTunedElsewhere(snapshot, plan.shapes);
  for (const core::ShapeDemand& it : request.shapes)
    AddDemand(*plan.family, it.shape, it.count, plan.shapes);
  plan.wanted += plan.shapes.size();
  if (request.purpose == kVerify) return plan;
  std::erase_if(plan.shapes, [&](const auto& entry) {
    if (IsTuned(snapshot, entry.second.shape, request.target)) {
      ++plan.tuned;
      return true;
    }
    if (!IsUnreachable(*plan.family, targets, entry.second.shape, request.target)) return false;
    plan.marks.emplace_back(RowKeyOf(*plan.family, entry.second.shape, request.target), kNoJob);
    ++plan.unreachable;
    return true;
  });
  return plan;
}

void RemoveQueued(const PlanRequest& request, const std::vector<JobContent>& open,
                  FamilyPlan& plan) {
  std::map<std::string, std::int64_t> held;
  for (const JobContent& job : open) {
    if (job.family != plan.id || job.purpose != request.purpose) continue;
    for (const core::FamilyShape& shape : ReadStoredShapes(*plan.family, job.shapes)) {
      held.emplace(core::OrderKeyOf(*plan.family, shape, "", 0), job.id);
    }
  }
  plan.queued += std::erase_if(plan.shapes, [&](const auto& entry) {
    const auto job = held.find(entry.first);
    if (job == held.end()) return false;
    plan.marks.emplace_back(RowKeyOf(*plan.family, entry.second.shape, request.target),
                            job->second);
    return true;
  });
}

std::vector<PlannedJob> JobsOf(const PlanRequest& request, const FamilyPlan& plan) {
  std::vector<PlannedJob> jobs;
  const std::vector<core::ShapeDemand> shapes = MostMissedFirst(plan.shapes);
  for (std::size_t begin = 0; begin < shapes.size(); begin += request.shapes_per_job) {
    PlannedJob& job = jobs.emplace_back();
    job.family = plan.id;
    job.family_name = plan.family->name;
    job.purpose = request.purpose;
    job.gfx = request.target.gfx;
    job.cu_num = request.target.cu_num;
    job.priority = request.priority;
    job.campaign = request.campaign;
    job.why = request.why;
    std::vector<core::FamilyShape> list;
    const std::size_t end = std::min(begin + request.shapes_per_job, shapes.size());
    for (std::size_t i = begin; i < end; ++i) {
      list.push_back(shapes[i].shape);
      if (job.purpose == kTune)
        job.keys.push_back(RowKeyOf(*plan.family, shapes[i].shape, request.target));
      job.weight += shapes[i].count;
    }
    job.shapes = StoredShapes(*plan.family, list);
    job.shape_count = list.size();
  }
  return jobs;
}

std::string Render(const std::vector<FamilyPlan>& plans, const std::vector<PlannedJob>& jobs,
                   const std::vector<std::int64_t>& ids, bool dry_run) {
  Json json = {{"dry_run", dry_run}, {"jobs", Json::array()}, {"families", Json::object()}};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    json["jobs"].push_back({{"id", dry_run ? Json() : Json(ids[i])},
                            {"family", jobs[i].family_name},
                            {"shapes", jobs[i].shape_count},
                            {"weight", jobs[i].weight}});
  }
  for (const FamilyPlan& plan : plans) {
    if (plan.wanted == 0) continue;
    json["families"][plan.family->name] = {{"wanted", plan.wanted},
                                           {"tuned", plan.tuned},
                                           {"unreachable", plan.unreachable},
                                           {"queued", plan.queued},
                                           {"planned", plan.shapes.size()}};
  }
  return json.dump();
}

}  // namespace

core::FamilyShape ShapeOfLine(const core::Family& family, const std::string& line) {
  std::string scratch;
  const core::Cells cells = core::SplitLine(line, scratch);
  core::FamilyShape shape;
  shape.cells.resize(family.columns.size());
  for (std::size_t i : core::ShapeColumns(family)) shape.cells[i] = std::string(cells[i]);
  return shape;
}

std::vector<JobContent> JobsToVerify(const core::Family& family, std::int16_t id,
                                     const core::Target& target,
                                     const std::vector<core::FamilyShape>& shapes,
                                     const std::vector<JobContent>& open, const std::string& why) {
  PlanRequest request;
  request.why = why;
  request.target = target;
  request.purpose = kVerify;
  FamilyPlan plan;
  plan.family = &family;
  plan.id = id;
  for (const core::FamilyShape& shape : shapes) AddDemand(family, shape, 0, plan.shapes);
  RemoveQueued(request, open, plan);
  const auto jobs = JobsOf(request, plan);
  return {jobs.begin(), jobs.end()};
}

std::vector<FamilyPlan> Planner::GatherAll(const PlanRequest& request) {
  DemandStore store(pool_);
  std::vector<DemandSource> open;
  std::vector<const core::Family*> families;
  for (const core::Family* family : request.families) {
    if (request.families.size() > 1 && !snapshots_.Reads(*family)) continue;
    families.push_back(family);
    open.push_back({definitions_.Id(*family), family->CuNumOf(request.target.cu_num)});
  }
  std::vector<DemandRecord> next;
  if (request.of_claim) next = store.ReadOpen(request.target.gfx, open, kMaxJobShapes);
  std::vector<FamilyPlan> plans;
  for (const core::Family* family : families) {
    const std::int16_t id = definitions_.Id(*family);
    std::vector<DemandRecord> demand;
    if (request.of_claim)
      std::ranges::copy_if(next, std::back_inserter(demand),
                           [&](const auto& it) { return it.family == id; });
    else if (request.from_demand)
      demand = store.ReadDemand(id, request.target.gfx, request.target.cu_num);
    plans.push_back(Gather(request, definitions_.targets, *snapshots_.Current(*family), demand));
  }
  return plans;
}

Planned Planner::Plan(const PlanRequest& request, const WriteRequest& write) {
  std::vector<FamilyPlan> plans = GatherAll(request);
  std::size_t shapes = 0;
  std::vector<std::int16_t> ids;
  std::vector<core::Hash128> demand;  // that the claim read as open
  for (const FamilyPlan& plan : plans) {
    shapes += plan.shapes.size();
    ids.push_back(plan.id);
    if (!request.of_claim) continue;
    for (const auto& [order, it] : plan.shapes)
      demand.push_back(RowKeyOf(*plan.family, it.shape, request.target));
  }
  if (shapes > kMaxPlannedShapes) {
    return {Refuse(
        {"too_many_shapes",
         fmt::format("{} shapes are not tuned, but one plan may have {}; plan each family alone",
                     shapes, kMaxPlannedShapes)})};
  }
  Planned planned;
  const auto plan_all = [&](const std::vector<JobContent>& open, const JobStore::Insert& insert) {
    for (FamilyPlan& plan : plans) RemoveQueued(request, open, plan);
    std::vector<PlannedJob> jobs;
    for (const FamilyPlan& plan : plans) {
      for (auto& job : JobsOf(request, plan)) jobs.push_back(std::move(job));
    }
    planned.jobs = jobs.size();
    return Render(plans, jobs, insert({jobs.begin(), jobs.end()}), write.dry_run);
  };
  // A claim that finds nothing writes nothing.
  if (shapes > 0 || !request.of_claim) {
    planned.answer =
        Answered(JobStore(pool_).PlanJobs(write, request.target, ids, demand, plan_all));
  }
  if (!request.of_claim) return planned;
  for (const FamilyPlan& plan : plans) DemandStore(pool_).Mark(plan.marks, plan.known);
  return planned;
}

}  // namespace tunehub::server
