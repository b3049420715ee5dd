// The variables that a program is started with.
#pragma once

#include <string>

namespace tunehub::core {

// "" where it is not set, too.
std::string Environment(const char* name);

}  // namespace tunehub::core
