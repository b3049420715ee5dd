// tunehub-agent merge A.csv:B.csv... -o FILE: what AITER's merge of these files would give, or why
// it would not start.
#pragma once

#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/base/configuration.h"

namespace tunehub::agent {

struct MergeArguments {
  std::vector<std::string> inputs;  // each a file, or several joined by ':' as in AITER_CONFIG_*
  std::string output;
  std::string family;  // "": what the files say
  bool json = false;
};

int Merge(const Configuration& configuration, const MergeArguments& options, Console& console);

int RunMerge(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
