// tunehub-agent compare: two tables of times, shape by shape.
#pragma once

#include <string>
#include <vector>

#include "agent/base/command.h"
#include "core/analysis/compare.h"

namespace tunehub::agent {

// Two files as the sides of a comparison, each in whatever form it is.
struct ComparedFiles {
  std::string base, head;
  std::string family;  // "": what the files say
  std::string unit;    // of times whose column names none; "": nobody says
};

struct CompareOptions {
  ComparedFiles files;
  std::vector<std::string> base_env, head_env;
  std::string configs, out;
  analysis::CompareLimits limits;
  bool fail_on_regress = false, json = false;
  bool fail_on_missing = false, no_fail_on_missing = false;  // neither: as fail_on_regress
};

// The exit code of the command with these options.
int CompareFiles(const CompareOptions& options, Console& console);

int RunCompare(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
