// What to type next, complete: a line that is copied does what it says.
#pragma once

#include <string>
#include <vector>

#include "agent/base/configuration.h"
#include "agent/capture/explanation.h"

namespace tunehub::agent {

struct NextStep {
  std::string why;
  std::vector<std::string> lines;
};

// What of the command line the steps go on with.
struct StepContext {
  std::vector<std::string> logs;
  std::string hub;                       // "": none
  bool takes_demand = false;             // the hub: no files without a server
  std::vector<std::string> tables;       // as they were given
  std::string aiter;                     // the tree; "": none
  std::string output;                    // the folder that untuned tables were written to; "": none
  std::string family = {}, device = {};  // of what names none, as they were given
};

// "LOG --family F --device D", what reads the logs again as they were read.
std::string LogWords(const StepContext& context);

std::vector<NextStep> NextSteps(const Configuration& configuration, const Explanation& explanation,
                                const StepContext& context);

// For files that an engine looked for.
std::vector<NextStep> FileSteps(const Configuration& configuration, const Explanation& explanation,
                                const StepContext& context);

}  // namespace tunehub::agent
