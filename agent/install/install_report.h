// What `install` says.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "agent/install/build_report.h"
#include "agent/install/install_plan.h"
#include "agent/install/module_builder.h"

namespace tunehub::agent {

// One line for each module; with `all` also the rows of its lookup table that differ.
void PrintBuilt(std::span<const BuiltModule> modules, bool all, std::ostream& out);

// [{"module", "built", "why", "lookup": {"rows", "added", "removed", "changed", ...}}]
nlohmann::ordered_json ToJson(std::span<const BuiltModule> modules);

void PrintLosses(const std::vector<Loss>& losses, std::size_t most, std::ostream& out);

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
