// tunehub-agent tune, bench, pretune: what this device can do with a list of shapes; and discover,
// what there is to tune on, and which kernels this program has for it.
#pragma once

#include "agent/base/command.h"

namespace tunehub::agent {

int RunTune(int argc, char** argv, Console& console);
int RunBench(int argc, char** argv, Console& console);
int RunPretune(int argc, char** argv, Console& console);
int RunDiscover(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
