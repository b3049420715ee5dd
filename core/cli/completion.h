// What bash is told to complete a program's commands and options by: one file that needs nothing
// else.
#pragma once

#include <string>

#include "core/cli/description.h"

namespace tunehub::cli {

std::string BashCompletion(const Description& program);

}  // namespace tunehub::cli
