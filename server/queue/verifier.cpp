#include "server/queue/verifier.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>

#include "server/db/transaction.h"
#include "server/queue/planner.h"
#include "server/queue/store_rows.h"
#include "sql.h"

namespace tunehub::server {
namespace {

// Members of a run's provenance whose newer versions put its times in doubt. A driver or an engine
// runs the same code.
constexpr const char* kTools = "{rocm,aiter,triton,compiler}";
constexpr int kOldDays = 90;  // an older time is verified
constexpr int kRestDays = 7;  // until a row is planned again, whatever came of its job
constexpr std::chrono::minutes kVerifyPause{10};

}  // namespace

bool Verifier::Plan(const core::Target& target, const std::vector<const core::Family*>& families) {
  if (hours_ == 0) return false;
  const std::pair name(target.gfx, target.cu_num);
  {
    const std::scoped_lock lock(mutex_);
    const auto rest = rests_.find(name);
    if (rest != rests_.end() && Clock::now() < rest->second) return false;
    rests_[name] = Clock::now() + kVerifyPause;  // other claims do not look at the same time
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
  return InTransaction(pool_, [&](pqxx::work& transaction) {
    const auto open = LockOpenJobs(transaction, target, ids);
    const auto due = transaction.exec_params(
        sql::read_due_rows, target.gfx, target.cu_num, fmt::format("{{{}}}", fmt::join(ids, ",")),
        kTools, kOldDays, static_cast<std::int64_t>(kDefaultJobShapes), kRestDays, hours_ * 3600);
    if (due.empty()) return false;
    const auto id = due[0][0].as<std::int16_t>();
    const core::Family& family = **std::ranges::find_if(
        families, [&](const core::Family* it) { return definitions_.Id(*it) == id; });
    std::vector<std::string> keys;
    for (const auto& row : due) keys.push_back(row[1].as<std::string>());
    transaction.exec_params0(sql::mark_verified, fmt::format("{{{}}}", fmt::join(keys, ",")));
    const auto jobs =
        JobsToVerify(family, id, target, ShapesOf(family, keys), open, due[0][2].as<std::string>());
    for (const std::int64_t job : InsertJobs(transaction, jobs, {}))
      spdlog::info("job {} verifies {} rows of {}: {}", job, keys.size(), family.name,
                   jobs.front().why);
    return true;
  });
}

std::vector<core::FamilyShape> Verifier::ShapesOf(const core::Family& family,
                                                  const std::vector<std::string>& keys) const {
  const std::set<std::string> wanted(keys.begin(), keys.end());
  std::vector<core::FamilyShape> shapes;
  for (const auto& row : snapshots_.Current(family)->rows) {
    if (wanted.contains(row->key.Uuid())) shapes.push_back(ShapeOfLine(family, row->line));
  }
  return shapes;
}

}  // namespace tunehub::server
