#include "server/queue/claims.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "core/base/hash.h"
#include "server/answers/shapes.h"
#include "server/queue/demand_store.h"

namespace tunehub::server {

std::optional<JobRecord> Claims::Take(const Claimant& claimant) {
  auto job = TakeNotArrived(claimant);
  if (!job && plan_ && PlanDemand(claimant)) job = TakeNotArrived(claimant);
  if (job || !claimant.verifies || !verifier_.enabled()) return job;
  const bool planned = verifier_.Plan({claimant.gfx, claimant.cu_num}, FamiliesOf(claimant));
  return planned ? TakeNotArrived(claimant) : job;
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
    if (!done.ok()) return std::nullopt;  // another agent was faster, so this claim looks again
    spdlog::info("job {} is done, because results of all its shapes have arrived", job->id);
  }
}

std::string Claims::NotArrived(const JobRecord& job, const core::Target& target) {
  const core::Family* const family = definitions_.FamilyOf(job.family);
  // This server cannot read the family's rows, so it keeps all shapes.
  if (family == nullptr || !snapshots_.Reads(*family)) return job.shapes;
  const auto shapes = ReadStoredShapes(*family, job.shapes);
  const auto snapshot = snapshots_.Current(*family);
  const auto tuned = [&](const core::FamilyShape& shape) {
    return IsTuned(*snapshot, shape, target);
  };
  // A new job's shapes are rarely tuned. So a check in memory usually saves the query.
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
  CopyDemand(request.target);
  return planner_.Plan(request, {}).jobs > 0;
}

void Claims::CopyDemand(const core::Target& target) {
  const std::pair name(target.gfx, target.cu_num);
  std::unique_lock lock(mutex_);
  DemandPlace place = copied_[name];
  lock.unlock();
  DemandStore store(pool_);
  std::map<core::Hash128, DemandRow> copies;
  for (const DemandRecord& record : store.ReadAny(target, kMaxJobShapes, place)) {
    const core::Family* const family = definitions_.FamilyOf(record.family);
    if (family == nullptr) continue;
    for (const core::FamilyShape& shape : ReadStoredShapes(*family, "[" + record.shape + "]")) {
      const core::Hash128 key = RowKeyOf(*family, shape, target);
      copies[key] = {key,          record.family, target.gfx, family->CuNumOf(target.cu_num),
                     record.shape, record.count};
    }
  }
  store.Copy(copies);
  lock.lock();
  copied_[name] = std::move(place);
}

std::vector<const core::Family*> Claims::FamiliesOf(const Claimant& claimant) const {
  std::vector<const core::Family*> families;
  if (claimant.families) {
    for (const std::int16_t id : *claimant.families) families.push_back(definitions_.FamilyOf(id));
    return families;
  }
  for (const auto& family : definitions_.families.all()) {
    if (family->objective != core::kNoColumn) families.push_back(family.get());
  }
  return families;
}

}  // namespace tunehub::server
