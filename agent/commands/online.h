// The commands that talk to a hub live in a program of their own, tunehub-agent-online: linking
// its HTTP client and archive libraries would cost the offline commands several milliseconds a
// start.
#pragma once

#include "agent/base/command.h"

namespace tunehub::agent {

// Replaces this process by tunehub-agent-online, which lies beside this program, with the same
// arguments. Returns only where that fails.
int RunOnline(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
