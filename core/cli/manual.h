// Two commands that every program has and --help does not list:
//   completion bash       what bash completes it by
//   man [COMMAND]...      its man page, or that of a command; `man --list` names all pages
#pragma once

#include <iosfwd>

#include "core/cli/command_line.h"
#include "core/cli/description.h"

namespace tunehub::cli {

bool AsksForManual(int argc, const char* const* argv);
// What AsksForManual is true of; `program` with all its commands.
Parsed AnswerManual(const Description& program, int argc, const char* const* argv,
                    std::ostream& out, std::ostream& err);

}  // namespace tunehub::cli
