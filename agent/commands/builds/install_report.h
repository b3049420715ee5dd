// What `install` says.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <vector>

#include "agent/aiter/install/install_plan.h"
#include "agent/aiter/install/module_builder.h"
#include "agent/commands/builds/build_report.h"

namespace tunehub::agent {

void PrintLosses(const InstallPlan& plan, std::size_t most, std::ostream& out);

ServedState ServedStateOf(const Answer& answer);

// What is said beside the plan.
struct InstallFacts {
  ServedState served;
  BuildReport build;
  std::size_t left_unmeasured = 0;      // rows of the hub that --measured-only left out
  std::size_t rewritten_times = 0;      // times of 0 that were written as inf
  std::vector<BuiltModule> built = {};  // by --rebuild
};

void PrintInstallText(const InstallPlan& plan, const InstallFacts& facts, std::ostream& out);

void PrintInstallJson(const InstallPlan& plan, bool installed, const InstallFacts& facts,
                      std::ostream& out);

}  // namespace tunehub::agent
