#include "server/service/queue/leases.h"

namespace tunehub::service {

std::vector<const core::Family*> Leases::Tunable() const {
  std::vector<const core::Family*> families;
  for (const auto& family : definitions_.families.all()) {
    if (family->objective != core::kNoColumn) families.push_back(family.get());
  }
  return families;
}

std::optional<JobRecord> Leases::Take(const Claim& claim) {
  store::Claimant claimant;
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
  auto job = arrivals_.Claim(claimant);
  if (job || planner_ == nullptr) return job;
  if (!planner_->Plan(claim.target, claim.families ? *claim.families : Tunable())) {
    return std::nullopt;
  }
  return arrivals_.Claim(claimant);
}

}  // namespace tunehub::service
