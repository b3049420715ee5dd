// tunehub-agent triton merge OLD NEW --measured RUN... -o FILE: of two states of one of AITER's
// Triton configs, one that harms nobody who was measured. triton template: a RUN to begin with.
#pragma once

#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "core/analysis/compare.h"

namespace tunehub::agent {

struct TritonMergeArguments {
  std::string old_file, new_file;
  std::vector<std::string> runs;
  std::string output;               // the merged file, or a folder
  std::string kernel;               // whose rows are meant; "": what the name says
  std::string config;               // of a DEFAULT.json, whose name does not say it
  std::vector<std::string> bounds;  // none: what configs/readers knows of the config's kernel
  analysis::CompareLimits limits;
  bool json = false;
};

int MergeTriton(const Configuration& configuration, const TritonMergeArguments& arguments,
                Console& console);

int RunTriton(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
