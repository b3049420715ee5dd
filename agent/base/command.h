// A command of tunehub-agent: its name, its line of help, its function.
#pragma once

#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/analysis/compare.h"
#include "core/base/command_line.h"
#include "core/base/exit_codes.h"
#include "core/base/result.h"

namespace tunehub::agent {

struct Command;

struct Console {
  std::ostream& out;  // results
  std::ostream& err;  // errors and warnings
  // If not null, the command stores its description here and does nothing else.
  cli::Description* describe = nullptr;
  std::span<const Command> commands = {};  // the program's; Dispatch sets it
};

// The summary of an internal command, which help does not list.
inline constexpr std::string_view kHidden;

struct Command {
  std::string_view name;
  std::string_view summary;
  // argv[0] is the command's name. Null: this row is the title of a group in --help.
  int (*run)(int argc, char** argv, Console& console);
};

// The commands about the program itself: help; man and completion.
int RunHelp(int argc, char** argv, Console& console);
int RunManual(int argc, char** argv, Console& console);

// Runs the command that argv[1] names. Prints the help without a command or with --help, and the
// version with --version.
int Dispatch(std::span<const Command> commands, int argc, char** argv, Console& console);

// Adds --quiet and --verbose, and sets Notes. Returns nothing if the command should run. Otherwise
// returns the exit code, after printing help, printing an error, or storing the description.
std::optional<int> ParseArguments(cli::CommandLine& line, int argc, char** argv, Console& console);

// Prints which command failed and why. Returns kFailed.
int Fail(Console& console, std::string_view command, const core::Error& error);

// Two arguments are words for the help texts. `side` names the base of the comparison ("golden").
// `measured` names the repeated times of one case ("runs of one shape").
inline void AddCompareLimits(cli::CommandLine& line, analysis::CompareLimits& limits,
                             const std::string& side, const std::string& measured) {
  line.Add("--ratio", limits.ratio,
           "a time counts as slower if it is more than this factor times the " + side +
               " time, plus --slack-us")
      .Range(1.0, 100.0)
      .ShowDefault();
  line.Add("--slack-us", limits.slack_us, "microseconds that are added to the limit of --ratio")
      .Range(0.0, 1e6)
      .ShowDefault();
  line.Add("--ignore-below-us", limits.ignore_below_us,
           "ignore a shape with a lower " + side + " time")
      .Range(0.0, 1e6)
      .ShowDefault();
  line.Add("--spread", limits.spread,
           "the greatest relative difference that " + measured + " may differ")
      .Range(0.0, 10.0)
      .ShowDefault();
}

}  // namespace tunehub::agent
