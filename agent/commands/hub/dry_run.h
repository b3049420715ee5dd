// --dry-run of `push` and `import`: what the tables are, as `check` says it. Nothing is sent.
#pragma once

#include <vector>

#include "agent/aiter/aiter_tree.h"
#include "agent/base/command.h"
#include "agent/base/configuration.h"

namespace tunehub::agent {

// kFinding where the hub would refuse a file, or not serve a row.
int DryRun(const Configuration& configuration, const std::vector<FamilyFiles>& files, bool all,
           bool json, Console& console);

}  // namespace tunehub::agent
