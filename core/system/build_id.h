// Which build of a program this is.
#pragma once

#include <string>

namespace tunehub::core {

// What the linker wrote into the running program, a digest of all that is in it, as lower-case hex;
// "" where it wrote nothing.
std::string BuildId();

}  // namespace tunehub::core
