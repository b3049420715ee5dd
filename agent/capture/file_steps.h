// What to type next for files that an engine looked for.
#pragma once

#include <vector>

#include "agent/base/configuration.h"
#include "agent/capture/explanation.h"
#include "agent/capture/next_steps.h"

namespace tunehub::agent {

std::vector<NextStep> FileSteps(const Configuration& configuration, const Explanation& explanation,
                                const StepContext& context);

}  // namespace tunehub::agent
