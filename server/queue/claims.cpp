#include "server/queue/claims.h"

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "core/base/hash.h"
#include "server/answers/shapes.h"
#include "server/queue/demand_store.h"

namespace tunehub::server {
namespace {

// Each idle agent claims every few seconds; one look at the demand in this time serves all agents.
constexpr std::chrono::seconds kLookEvery{1};

const core::Family* FamilyOf(const Definitions& definitions, std::int16_t id) {
  const auto& families = definitions.families.all();
  const auto found = std::ranges::find_if(
      families, [&](const auto& family) { return definitions.Id(*family) == id; });
  return found == families.end() ? nullptr : found->get();
}

std::string NameOf(const PlanRequest& request) {
  std::string name = fmt::format("{}:{}", request.target.gfx, request.target.cu_num);
  for (const core::Family* family : request.families) name += "," + family->name;
  return name;
}

}  // namespace

std::optional<JobRecord> Claims::Take(const Claimant& claimant) {
  auto job = TakeNotArrived(claimant);
  if (job || !plan_ || !PlanDemand(claimant)) return job;
  return TakeNotArrived(claimant);
}

std::optional<JobRecord> Claims::TakeNotArrived(const Claimant& claimant) {
  for (;;) {
    auto job = leases_.Claim(claimant);
    if (!job) return job;
    if (job->purpose == kTune) job->shapes = NotArrived(*job, {claimant.gfx, claimant.cu_num});
    if (job->purpose != kTune || job->shapes != "[]") {
      ++taken_;
      return job;
    }
    const auto done = leases_.Complete(
        {job->id, claimant.agent, job->epoch, claimant.instance, claimant.owner}, {});
    if (!done.ok()) return std::nullopt;  // another agent was faster: this one claims again
    spdlog::info("job {} is done: the results of all its shapes have arrived", job->id);
  }
}

std::string Claims::NotArrived(const JobRecord& job, const core::Target& target) {
  const core::Family* const family = FamilyOf(definitions_, job.family);
  // Keeps all shapes, since this server cannot read the family's rows.
  if (family == nullptr || !snapshots_.Reads(*family)) return job.shapes;
  const auto shapes = ReadStoredShapes(*family, job.shapes);
  const auto snapshot = snapshots_.Current(*family);
  const auto tuned = [&](const core::FamilyShape& shape) {
    return IsTuned(*snapshot, shape, target);
  };
  // A new job's shapes are rarely tuned, so a check in memory mostly saves the query.
  if (!job.again && std::ranges::none_of(shapes, tuned)) return job.shapes;
  std::vector<core::Hash128> keys;
  for (const core::FamilyShape& shape : shapes) keys.push_back(RowKeyOf(*family, shape, target));
  const auto arrived = leases_.Arrived(job.id, keys);
  if (arrived.empty()) return job.shapes;
  std::vector<core::FamilyShape> rest;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (std::ranges::count(arrived, keys[i]) == 0) rest.push_back(shapes[i]);
  }
  return StoredShapes(*family, rest);
}

bool Claims::PlanDemand(const Claimant& claimant) {
  PlanRequest request;
  request.target = {claimant.gfx, claimant.cu_num};
  request.families = FamiliesOf(claimant);
  request.of_claim = true;
  const std::string name = NameOf(request);
  const std::string newest = Changed(name, request.target);
  if (newest.empty()) return false;
  const Planned planned = planner_.Plan(request, {});
  if (planned.answer.refusal) {
    spdlog::warn("demand of {} is not planned: {}", name, planned.answer.refusal->error.detail);
    return false;
  }
  if (planned.left > 0) {
    // Leaves `newest` unchanged, so that a claim plans the rest when these jobs are taken.
    spdlog::warn("demand of {}: {} jobs for the {} shapes that are missed most, {} shapes wait",
                 name, planned.jobs, kMaxPlannedShapes, planned.left);
    return planned.jobs > 0;
  }
  const std::lock_guard lock(mutex_);
  seen_[name].newest = newest;
  return planned.jobs > 0;
}

std::vector<const core::Family*> Claims::FamiliesOf(const Claimant& claimant) const {
  std::vector<const core::Family*> families;
  if (claimant.families) {
    for (const std::int16_t id : *claimant.families) families.push_back(FamilyOf(definitions_, id));
    return families;
  }
  for (const auto& family : definitions_.families.all()) {
    if (family->objective != core::kNoColumn) families.push_back(family.get());
  }
  return families;
}

std::string Claims::Changed(const std::string& name, const core::Target& target) {
  const auto now = std::chrono::steady_clock::now();
  {
    const std::lock_guard lock(mutex_);
    Seen& seen = seen_[name];
    if (now - seen.asked < kLookEvery) return "";
    seen.asked = now;
  }
  std::string newest = DemandStore(pool_).NewestDemand(target.gfx, target.cu_num);
  const std::lock_guard lock(mutex_);
  return newest == seen_[name].newest ? "" : newest;
}

}  // namespace tunehub::server
