// tunehub-agent compare BEFORE AFTER.
#pragma once

#include "agent/base/command.h"

namespace tunehub::agent::tuning {

int RunCompare(int argc, char** argv, Console& console);

}  // namespace tunehub::agent::tuning
