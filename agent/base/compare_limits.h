// The limits of a comparison of times, as a command line takes them.
#pragma once

#include <string>

#include "core/analysis/compare.h"
#include "core/cli/command_line.h"

namespace tunehub::agent {

// `side`: whose times the new ones are held against ("golden"). `measured`: what is there several
// times of one case ("runs of one shape").
void AddCompareLimits(cli::CommandLine& line, analysis::CompareLimits& limits,
                      const std::string& side, const std::string& measured);

}  // namespace tunehub::agent
