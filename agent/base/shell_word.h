// Text as one word of a shell's line.
#pragma once

#include <string>
#include <string_view>

namespace tunehub::agent {

// Quoted only where it must be.
std::string ShellWord(std::string_view text);

}  // namespace tunehub::agent
