#include "agent/base/command.h"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <string>
#include <vector>

#include "build_info.h"
#include "core/cli/nearest.h"

namespace tunehub::agent {
namespace {

void PrintHelp(std::span<const Command> commands, std::ostream& out) {
  out << "usage: tunehub-agent COMMAND [OPTION]...\n\n";
  for (const Command& command : commands) {
    if (command.summary == kHidden) continue;
    out << "  " << std::left << std::setw(10) << command.name << command.summary << '\n';
  }
  out << "\n`tunehub-agent COMMAND --help` lists the options of a command.\n"
         "Exit codes: 0 good, 1 something was found (conflicts, rejected rows), 2 not done.\n";
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
  const auto found = std::find_if(commands.begin(), commands.end(),
                                  [&](const Command& command) { return command.name == name; });
  if (found == commands.end()) {
    std::vector<std::string> known;
    for (const Command& command : commands) known.emplace_back(command.name);
    const auto nearest = cli::Nearest(name, known);
    console.err << "tunehub-agent: there is no command '" << name << "'"
                << (nearest ? "; did you mean " + *nearest + "?" : "")
                << "\n`tunehub-agent --help` lists what there is\n";
    return kFailed;
  }
  return found->run(argc - 1, argv + 1, console);
}

}  // namespace tunehub::agent
