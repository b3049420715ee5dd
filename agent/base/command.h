// What every command of tunehub-agent has: a name, a line of help, a function. The program is a
// table of these.
#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

#include "core/cli/description.h"

namespace tunehub::agent {

// Exit codes, the same for every command.
inline constexpr int kGood = 0;
inline constexpr int kFinding = 1;  // it was done, and there is something to look at
inline constexpr int kFailed = 2;   // it could not be done
// Of a daemon alone: it could not go on, but a later start may (EX_TEMPFAIL of sysexits.h).
inline constexpr int kPassing = 75;

struct Console {
  std::ostream& out;  // what was asked for
  std::ostream& err;  // what went wrong
  // Not null: a command tells what its arguments are, and does nothing.
  cli::Description* describe = nullptr;
};

// The summary of a command that is no person's to type.
inline constexpr std::string_view kHidden;

struct Command {
  std::string_view name;
  std::string_view summary;
  // argv[0] is the command's name.
  int (*run)(int argc, char** argv, Console& console);
};

// Runs the command that argv[1] names; without one, or with --help or --version, says what there
// is.
int Dispatch(std::span<const Command> commands, int argc, char** argv, Console& console);

// All that the program takes, as each command declares it.
cli::Description DescribeAgent(std::span<const Command> commands);

}  // namespace tunehub::agent
