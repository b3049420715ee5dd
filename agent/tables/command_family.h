// tunehub-agent family draft FILE: the family file that would describe a table.
#pragma once

#include "agent/base/command.h"

namespace tunehub::agent {

int RunFamily(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
