// The limits of a comparison of times, as a command line takes them.
#pragma once

#include <string>

#include "core/analysis/compare.h"
#include "core/cli/command_line.h"

namespace tunehub::agent {

// `side`: whose times the new ones are held against ("golden"). `measured`: what is there several
// times of one case ("runs of one shape").
inline void AddCompareLimits(cli::CommandLine& line, analysis::CompareLimits& limits,
                             const std::string& side, const std::string& measured) {
  line.Add("--ratio", limits.ratio, "slower: above this times the " + side + " time ...")
      .Range(1.0, 100.0)
      .ShowDefault();
  line.Add("--slack-us", limits.slack_us, "... plus this").Range(0.0, 1e6).ShowDefault();
  line.Add("--ignore-below-us", limits.ignore_below_us, "a lower " + side + " time decides nothing")
      .Range(0.0, 1e6)
      .ShowDefault();
  line.Add("--spread", limits.spread, "the share by which " + measured + " may differ")
      .Range(0.0, 10.0)
      .ShowDefault();
}

}  // namespace tunehub::agent
