// tunehub-agent run, the daemon, and status, what it is doing.
#pragma once

#include "agent/base/command.h"

namespace tunehub::agent {

int RunDaemon(int argc, char** argv, Console& console);
int RunStatus(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
