// The arguments of a command.
#pragma once

#include <optional>
#include <string_view>

#include "agent/base/command.h"
#include "core/base/result.h"
#include "core/cli/command_line.h"

namespace tunehub::agent {

// Nothing: parsed, go on. Otherwise the exit code: --help was answered, what is wrong was said, or
// the arguments were described.
std::optional<int> ParseArguments(cli::CommandLine& line, int argc, char** argv, Console& console);

// Says which command failed and why. Returns kFailed.
int Fail(Console& console, std::string_view command, const core::Error& error);

}  // namespace tunehub::agent
