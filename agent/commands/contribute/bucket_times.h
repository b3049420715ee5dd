// Which of the measured times judge which file. Pure.
#pragma once

#include <map>
#include <string>

#include "agent/commands/contribute/bucket_goal.h"
#include "core/base/result.h"
#include "core/buckets/bucket_runs.h"

namespace tunehub::agent {

using BucketGoals = std::map<std::string, BucketGoal>;  // by path

// Times that say no architecture are nobody's where configs of their kernel are offered for
// several. Error bad_arguments, with the row and the architectures.
core::Status CheckTimes(const BucketGoals& goals, const buckets::BucketRuns& runs);

// Without the times of the new config where that is another goal's, whose file is read first.
buckets::BucketRuns TimesFor(const BucketGoal& goal, const BucketGoals& goals,
                             const buckets::BucketRuns& runs);

}  // namespace tunehub::agent
