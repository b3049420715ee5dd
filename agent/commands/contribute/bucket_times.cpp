#include "agent/commands/contribute/bucket_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tunehub::agent {
namespace {

// What the goal wants in the bucket; "": nothing.
std::string WantedConfig(const BucketGoal& goal, const std::string& bucket) {
  const auto wanted =
      std::ranges::find(goal.wanted, bucket, [](const WantedBucket& it) { return it.bucket.name; });
  return wanted == goal.wanted.end() ? "" : wanted->bucket.config;
}

// Whether a file of fewer shapes is offered that the time's shape would read, with another config.
bool IsOfAnother(const buckets::BucketTime& time, const BucketGoal& goal,
                 const BucketGoals& goals) {
  const std::string mine = WantedConfig(goal, time.bucket);
  return std::ranges::any_of(goals, [&](const auto& it) {
    const BucketGoal& other = it.second;
    const bool nearer = other.arch == goal.arch && other.name.config == goal.name.config &&
                        other.name.sizes.size() > goal.name.sizes.size() &&
                        buckets::AreAmong(other.name.sizes, time.sizes);
    const std::string theirs = nearer ? WantedConfig(other, time.bucket) : "";
    return !theirs.empty() && (mine.empty() || !buckets::IsSameConfig(mine, theirs));
  });
}

}  // namespace

core::Status CheckTimes(const BucketGoals& goals, const buckets::BucketRuns& runs) {
  std::map<std::string, std::set<std::string>> archs;  // by kernel
  for (const auto& [path, goal] : goals) {
    if (goal.changes()) archs[buckets::KernelOf(goal.name.config)].insert(goal.arch);
  }
  for (const buckets::BucketTime& time : runs.times) {
    const auto of_kernel = archs.find(time.kernel);
    if (!time.arch.empty() || of_kernel == archs.end() || of_kernel->second.size() < 2) continue;
    return core::Error{"bad_arguments",
                       fmt::format("{}: says no architecture, and configs of {} are offered for "
                                   "{}: a line '# gfx: {}' before the header says it, or a column "
                                   "gfx",
                                   time.place, time.kernel, fmt::join(of_kernel->second, ", "),
                                   *of_kernel->second.begin())};
  }
  return core::Ok();
}

buckets::BucketRuns TimesFor(const BucketGoal& goal, const BucketGoals& goals,
                             const buckets::BucketRuns& runs) {
  const std::string kernel = buckets::KernelOf(goal.name.config);
  buckets::BucketRuns of_goal = runs;
  std::erase_if(of_goal.times, [&](const buckets::BucketTime& time) {
    return time.with_new && time.kernel == kernel && IsOfAnother(time, goal, goals);
  });
  return of_goal;
}

}  // namespace tunehub::agent
