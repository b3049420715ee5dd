// tunehub-agent lookup --table FILE M=100 N=1280 K=5120: what AITER would run, and why.
#pragma once

#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/base/configuration.h"

namespace tunehub::agent {

struct LookupOptions {
  std::vector<std::string> tables;
  std::string family;  // "": what the tables tell
  std::string gfx;
  int cu_num = 0;                  // 0: the usual one
  std::vector<std::string> shape;  // "M=100"
  bool json = false;
};

// kFinding where no measured row is found.
int LookUp(const Configuration& configuration, const LookupOptions& options, Console& console);

int RunLookup(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
