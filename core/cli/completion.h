// What a shell is told to complete a program's commands and options by. Each is one file that needs
// nothing else.
#pragma once

#include <string>

#include "core/cli/description.h"

namespace tunehub::cli {

std::string BashCompletion(const Description& program);
std::string ZshCompletion(const Description& program);
std::string FishCompletion(const Description& program);

// A name of a shell's function: "tunehub_agent".
std::string FunctionName(const std::string& typed);
// In single quotes, as every shell reads it; `quote` is what one within becomes.
std::string Quoted(const std::string& text, const std::string& quote);

}  // namespace tunehub::cli
