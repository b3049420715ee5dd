// tunehub-agent contribute --model M TREE: rows that were measured and AITER's tree does not have,
// as files for a pull request.
#pragma once

#include "agent/base/command.h"

namespace tunehub::agent {

int RunContribute(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
