#include "server/queue/verifier.h"

#include "server/queue/job_store.h"
#include "server/queue/planner.h"

namespace tunehub::server {
namespace {

constexpr std::chrono::minutes kVerifyPause{10};

}  // namespace

bool Verifier::Plan(const core::Target& target, const std::vector<const core::Family*>& families) {
  if (hours_ == 0) return false;
  const std::pair name(target.gfx, target.cu_num);
  {
    const std::scoped_lock lock(mutex_);
    const auto rest = rests_.find(name);
    if (rest != rests_.end() && Clock::now() < rest->second) return false;
    rests_[name] = Clock::now() + kVerifyPause;  // other claims do not look during this time
  }
  if (!PlanDue(target, families)) return false;
  const std::scoped_lock lock(mutex_);
  rests_.erase(name);
  return true;
}

bool Verifier::PlanDue(const core::Target& target,
                       const std::vector<const core::Family*>& families) {
  std::vector<std::int16_t> ids;
  for (const core::Family* family : families) ids.push_back(definitions_.Id(*family));
  return JobStore(pool_).PlanDue(
      target, ids, hours_, kDefaultJobShapes, [&](const DueRows& due, const auto& open) {
        const core::Family& family = *definitions_.FamilyOf(due.family);
        std::vector<core::FamilyShape> shapes;
        for (const auto& row : snapshots_.Current(family)->rows) {
          if (due.keys.contains(row->key)) shapes.push_back(ShapeOfLine(family, row->line));
        }
        return JobsToVerify(family, due.family, target, shapes, open, due.why);
      });
}

}  // namespace tunehub::server
