// Facts of an environment as a command line gives them.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/environment.h"
#include "core/base/result.h"

namespace tunehub::agent {

// Of NAME=VALUE, or of a JSON file; anything else in front of a '=' makes a path of it. Errors:
// bad_arguments, two_values, those of core::FileBytes and analysis::ParseEnvironment.
core::Result<analysis::Environment> FactsOf(const std::vector<std::string>& given);

// Whether it is NAME=VALUE.
bool IsAssignment(const std::string& given);

}  // namespace tunehub::agent
