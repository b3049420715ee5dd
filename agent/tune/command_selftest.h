// tunehub-agent selftest: whether this device computes what it should, kernel by kernel.
#pragma once

#include "agent/base/command.h"

namespace tunehub::agent {

int RunSelftest(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
