#include "server/queue/leases.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>

#include "core/base/hash128.h"
#include "server/answers/shapes.h"
#include "server/queue/missing.h"

namespace tunehub::server {
namespace {

constexpr std::chrono::seconds kDeleteEvery{60};

const core::Family* FamilyOf(const Definitions& definitions, std::int16_t id) {
  const auto& families = definitions.families.all();
  const auto found = std::ranges::find_if(
      families, [&](const auto& family) { return definitions.Id(*family) == id; });
  return found == families.end() ? nullptr : found->get();
}

}  // namespace

std::string Leases::NotArrived(const JobRecord& job, const core::Target& target) {
  const core::Family* const family = FamilyOf(definitions_, job.family);
  // The job is claimed by now. Whether its results have come is not known then.
  if (family == nullptr || !snapshots_.Reads(*family)) return job.shapes;
  const auto shapes = ReadStoredShapes(*family, job.shapes);
  const auto snapshot = snapshots_.Current(*family);
  const auto tuned = [&](const core::FamilyShape& shape) {
    return IsTuned(*snapshot, shape, target);
  };
  // A new job's shapes are rarely tuned: what is in memory spares the question to the database.
  if (!job.again && std::ranges::none_of(shapes, tuned)) return job.shapes;
  std::vector<core::Hash128> keys;
  for (const core::FamilyShape& shape : shapes) keys.push_back(RowKeyOf(*family, shape, target));
  const auto arrived = store.Arrived(job.id, keys);
  if (arrived.empty()) return job.shapes;
  std::vector<core::FamilyShape> rest;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (std::ranges::count(arrived, keys[i]) == 0) rest.push_back(shapes[i]);
  }
  return StoredShapes(*family, rest);
}

std::optional<JobRecord> Leases::ClaimNotArrived(const Claimant& claimant) {
  for (;;) {
    auto job = store.Claim(claimant);
    if (!job) return job;
    if (job->purpose == kTune) job->shapes = NotArrived(*job, {claimant.gfx, claimant.cu_num});
    if (job->purpose != kTune || job->shapes != "[]") {
      ++taken_;
      return job;
    }
    const auto done = store.Complete(
        {job->id, claimant.agent, job->epoch, claimant.instance, claimant.owner}, {});
    if (!done.ok()) return std::nullopt;  // somebody was faster: the agent asks again
    spdlog::info("job {} is done: the results of all its shapes have arrived", job->id);
  }
}

std::vector<const core::Family*> Leases::Tunable() const {
  std::vector<const core::Family*> families;
  for (const auto& family : definitions_.families.all()) {
    if (family->objective != core::kNoColumn) families.push_back(family.get());
  }
  return families;
}

std::optional<JobRecord> Leases::Take(const Claim& claim) {
  Claimant claimant;
  claimant.agent = claim.agent;
  claimant.instance = claim.instance;
  claimant.owner = claim.owner;
  claimant.gfx = claim.target.gfx;
  claimant.cu_num = claim.target.cu_num;
  claimant.measures = claim.measures;
  claimant.except = claim.except;
  if (claim.families) {
    claimant.families.emplace();
    for (const core::Family* family : *claim.families) {
      claimant.families->push_back(definitions_.Id(*family));
    }
  }
  auto job = ClaimNotArrived(claimant);
  if (job || planner_ == nullptr) return job;
  if (!planner_->PlanDemand(claim.target, claim.families ? *claim.families : Tunable())) {
    return std::nullopt;
  }
  return ClaimNotArrived(claimant);
}

void QueueKeeper::Start() {
  thread_.Start([this] { Keep(); });
}

void QueueKeeper::Keep() {
  auto delete_at = std::chrono::steady_clock::now();
  bool could = true;
  do {
    const auto now = std::chrono::steady_clock::now();
    const bool due = now >= delete_at;
    const bool can = Sweep(due);
    if (due && can) delete_at = now + kDeleteEvery;
    if (can != could && !can) spdlog::warn("the queue is not swept: the database is gone");
    could = can;
  } while (thread_.Pause(leases_.times().look()));
}

bool QueueKeeper::Sweep(bool delete_old) {
  try {
    const std::size_t renewed = leases_.WatchLeases();
    if (renewed > 0)
      spdlog::info("{} leases begin anew: nobody could renew them for a while", renewed);
    const std::size_t expired = leases_.Expire();
    if (expired > 0) spdlog::info("{} leases have expired", expired);
    if (delete_old) leases_.DeleteOld();
    return true;
  } catch (const std::exception& error) {
    spdlog::debug("sweep of the queue: {}", error.what());
    return false;
  }
}

}  // namespace tunehub::server
