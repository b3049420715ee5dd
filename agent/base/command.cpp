#include "agent/base/command.h"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <vector>

#include "build_info.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

constexpr char kExitCodes[] =
    "Exit codes: 0 success, 1 findings (conflicts, rejected rows), 2 failure,\n"
    "75 temporary failure (run: the disk is full, the GPU is lost).";

void PrintHelp(std::span<const Command> commands, std::ostream& out) {
  out << "usage: tunehub-agent COMMAND [OPTION]...\n\n";
  for (const Command& command : commands) {
    if (command.summary == kHidden) continue;
    out << "  " << std::left << std::setw(12) << command.name << command.summary << '\n';
  }
  out << "\n`tunehub-agent COMMAND --help` lists the options of a command.\n" << kExitCodes << '\n';
}

// Describes the whole program from the declarations of its commands.
cli::Description DescribeAgent(std::span<const Command> commands) {
  cli::Description agent;
  agent.name = "tunehub-agent";
  agent.version = TUNEHUB_VERSION;
  agent.summary = "the client of the tunehub server, for builds, for GPU hosts and for people";
  agent.about =
      "Tunes GPU kernels, sends measurements to a hub, and puts the hub's tuned tables where "
      "AITER looks.";
  agent.footer = kExitCodes;
  agent.options.resize(2);
  agent.options[0].names = {"-h", "--help"};
  agent.options[0].help = "list the commands";
  agent.options[1].names = {"--version"};
  agent.options[1].help = "the version";
  for (const Command& command : commands) {
    if (command.summary == kHidden) continue;
    std::ostringstream unused;
    cli::Description description;
    Console console{unused, unused, &description};
    std::string name(command.name);
    char* argv[] = {name.data(), nullptr};
    command.run(1, argv, console);
    description.summary = command.summary;
    agent.commands.push_back(std::move(description));
  }
  return agent;
}

}  // namespace

int Dispatch(std::span<const Command> commands, int argc, char** argv, Console& console) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name == "--version") {
    console.out << "tunehub-agent " TUNEHUB_VERSION "\n";
    return kGood;
  }
  if (name.empty() || name == "--help" || name == "-h" || name == "help") {
    PrintHelp(commands, name.empty() ? console.err : console.out);
    return name.empty() ? kFailed : kGood;
  }
  if (cli::AsksForManual(argc, argv)) {
    const auto parsed =
        cli::AnswerManual(DescribeAgent(commands), argc, argv, console.out, console.err);
    return parsed == cli::Parsed::kAnswered ? kGood : kFailed;
  }
  const auto found = std::find_if(commands.begin(), commands.end(),
                                  [&](const Command& command) { return command.name == name; });
  if (found == commands.end()) {
    std::vector<std::string> known;
    for (const Command& command : commands) {
      if (command.summary != kHidden) known.emplace_back(command.name);
    }
    console.err << "tunehub-agent: unknown command '" << name << "'"
                << core::DidYouMean(name, known) << "\n`tunehub-agent --help` lists the commands\n";
    return kFailed;
  }
  return found->run(argc - 1, argv + 1, console);
}

std::optional<int> ParseArguments(cli::CommandLine& line, int argc, char** argv, Console& console) {
  if (console.describe != nullptr) {
    *console.describe = line.Describe();
    return kGood;
  }
  switch (line.Parse(argc, argv, console.out, console.err)) {
    case cli::Parsed::kGiven:
      return std::nullopt;
    case cli::Parsed::kAnswered:
      return kGood;
    case cli::Parsed::kWrong:
      break;
  }
  return kFailed;
}

int Fail(Console& console, std::string_view command, const core::Error& error) {
  console.err << "tunehub-agent " << command << ": " << error.detail << " (" << error.code << ")\n";
  return kFailed;
}

}  // namespace tunehub::agent
