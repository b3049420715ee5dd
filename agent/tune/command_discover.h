// tunehub-agent discover: what this host can tune on, and what kernels this program has for it.
#pragma once

#include "agent/base/command.h"

namespace tunehub::agent {

int RunDiscover(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
