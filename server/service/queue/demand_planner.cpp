#include "server/service/queue/demand_planner.h"

#include <fmt/core.h>
#include <spdlog/spdlog.h>

namespace tunehub::service {
namespace {

// Agents without work ask every few seconds each: one look at the demand serves them all.
constexpr std::chrono::seconds kLookEvery{1};

std::string NameOf(const core::Target& target, const std::vector<const core::Family*>& families) {
  std::string name = fmt::format("{}:{}", target.gfx, target.cu_num);
  for (const core::Family* family : families) name += "," + family->name;
  return name;
}

}  // namespace

std::string DemandPlanner::Changed(const std::string& name, const core::Target& target) {
  const auto now = std::chrono::steady_clock::now();
  {
    const std::lock_guard lock(mutex_);
    Seen& seen = seen_[name];
    if (now - seen.asked < kLookEvery) return "";
    seen.asked = now;
  }
  std::string newest = store_.queue().NewestDemand(target.gfx, target.cu_num);
  const std::lock_guard lock(mutex_);
  return newest == seen_[name].newest ? "" : newest;
}

bool DemandPlanner::Plan(const core::Target& target,
                         const std::vector<const core::Family*>& families) {
  const std::string name = NameOf(target, families);
  const std::string newest = Changed(name, target);
  if (newest.empty()) return false;
  PlanRequest request;
  request.target = target;
  request.families = families;
  request.untried_only = true;
  request.in_parts = true;
  const Planned planned = planner_.Plan(request, {});
  if (planned.answer.refusal) {
    spdlog::warn("demand of {} is not planned: {}", name, planned.answer.refusal->error.detail);
    return false;
  }
  if (planned.left > 0) {
    // Not noted as planned: the claim that finds none of these jobs left plans on.
    spdlog::warn("demand of {}: {} jobs for the {} shapes that are missed most, {} shapes wait",
                 name, planned.jobs, kMaxPlannedShapes, planned.left);
    return planned.jobs > 0;
  }
  const std::lock_guard lock(mutex_);
  seen_[name].newest = newest;
  return planned.jobs > 0;
}

}  // namespace tunehub::service
