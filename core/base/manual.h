// Two commands that every program has and --help does not list:
//   completion bash       what bash completes it by
//   man [COMMAND]...      its man page, or that of a command; `man --list` names all pages
#pragma once

#include <iosfwd>
#include <string>

#include "core/base/command_line.h"

namespace tunehub::cli {

// `program` is whose version and name the page has; `command` itself or one below it.
std::string ManPage(const Description& program, const Description& command);

// What bash is told to complete a program's commands and options by: one file that needs nothing
// else.
std::string BashCompletion(const Description& program);

bool AsksForManual(int argc, const char* const* argv);
// What AsksForManual is true of; `program` with all its commands.
Parsed AnswerManual(const Description& program, int argc, const char* const* argv,
                    std::ostream& out, std::ostream& err);

}  // namespace tunehub::cli
