// tunehub-agent heuristic score --table T: how often a heuristic chooses what tuning found, and
// heuristic learn --table T -o TREE: a better one from the same rows; heuristic export -o FOLDER:
// one as source code.
#pragma once

#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/base/configuration.h"

namespace tunehub::agent {

struct HeuristicOptions {
  std::vector<std::string> tables;
  std::string family;   // "": what the tables say; export has none
  std::string gfx;      // "": the heuristic's, or the tables' only one
  int cu_num = 0;       // 0: likewise
  std::string tree;     // the heuristic's file; "": the one of configs/heuristics
  std::string untuned;  // the kernel that runs untuned; "": the heuristic's default
  std::string output;   // learn: where the tree goes; export: a folder
  bool json = false;
};

int ScoreHeuristic(const Configuration& configuration, const HeuristicOptions& options,
                   Console& console);
int LearnHeuristic(const Configuration& configuration, const HeuristicOptions& options,
                   Console& console);
// The instances to compile, a C++ header and a Python module.
int ExportHeuristic(const Configuration& configuration, const HeuristicOptions& options,
                    Console& console);

int RunHeuristic(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
