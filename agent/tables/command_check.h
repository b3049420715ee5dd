// tunehub-agent check DIR|FILE...: would AITER start with these tables, and find their rows?
#pragma once

#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/base/configuration.h"

namespace tunehub::agent {

struct CheckOptions {
  std::vector<std::string> paths;  // AITER trees or single tables
  std::string family;              // of the single tables; "": what each says
  bool all = false;                // list every row
  bool json = false;
  std::string build = {};  // the manifest of what shall run them; "": not asked
  bool upstream = false;   // in place of a check: what of the trees this version does not know
  bool strict = false;     // fail on what AITER's own table test fails on, too
};

int Check(const Configuration& configuration, const CheckOptions& options, Console& console);

int RunCheck(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
