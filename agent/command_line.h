// The arguments of a command, by CLI11.
#pragma once

#include <optional>

#include "agent/command.h"

namespace CLI {
class App;
}

namespace tunehub::agent {

// Nothing: parsed, go on. Otherwise the exit code: --help was answered, or what is wrong was said.
std::optional<int> ParseArguments(CLI::App& app, int argc, char** argv, Console& console);

}  // namespace tunehub::agent
