// What `install` says.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include "agent/install_plan.h"

namespace tunehub::agent {

void PrintLosses(const InstallPlan& plan, std::size_t most, std::ostream& out);

void PrintInstallText(const InstallPlan& plan, const std::string& revision, std::ostream& out);

void PrintInstallJson(const InstallPlan& plan, bool installed, const std::string& revision,
                      std::ostream& out);

}  // namespace tunehub::agent
