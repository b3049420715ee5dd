#include "agent/base/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <vector>

#include "agent/base/terminal.h"
#include "build_info.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

void PrintHelp(std::span<const Command> commands, std::ostream& out) {
  out << "usage: tunehub-agent COMMAND [OPTION]...\n";
  for (const Command& command : commands) {
    if (command.run == nullptr) {
      out << '\n' << command.summary << ":\n";
    } else if (command.summary != kHidden) {
      out << "  " << std::left << std::setw(12) << command.name << command.summary << '\n';
    }
  }
  out << "\n`tunehub-agent help COMMAND` lists the options of a command.\n\n" << kExitCodes << '\n';
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
    if (command.run == nullptr || command.summary == kHidden) continue;
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
  console.commands = commands;
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name == "--version") {
    console.out << "tunehub-agent " TUNEHUB_VERSION "\n";
    return kGood;
  }
  if (name.empty() || name == "--help" || name == "-h") {
    PrintHelp(commands, name.empty() ? console.err : console.out);
    return name.empty() ? kFailed : kGood;
  }
  const auto found = std::find_if(commands.begin(), commands.end(), [&](const Command& command) {
    return command.run != nullptr && command.name == name;
  });
  if (found == commands.end()) {
    std::vector<std::string> known;
    for (const Command& command : commands) {
      if (command.run != nullptr && command.summary != kHidden) known.emplace_back(command.name);
    }
    console.err
        << BeginError << "tunehub-agent: "
        << (name.starts_with('-')
                ? "an option follows its command, as in tunehub-agent pull " + std::string(name)
                : fmt::format("unknown command '{}'{}", name, core::DidYouMean(name, known)))
        << "\n"
        << EndError << "`tunehub-agent --help` lists the commands\n";
    return kFailed;
  }
  return found->run(argc - 1, argv + 1, console);
}

int RunHelp(int argc, char** argv, Console& console) {
  std::vector<std::string> words;
  cli::CommandLine line("Lists the commands, or prints what `COMMAND --help` prints.",
                        "tunehub-agent help");
  line.Add("COMMAND", words, "a command; some commands have commands of their own");
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  words.insert(words.begin(), "tunehub-agent");
  words.emplace_back("--help");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  return Dispatch(console.commands, static_cast<int>(arguments.size()), arguments.data(), console);
}

int RunManual(int argc, char** argv, Console& console) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (console.describe == nullptr && first != "--help" && first != "-h") {
    const auto parsed = cli::AnswerManual(DescribeAgent(console.commands), argc + 1, argv - 1,
                                          console.out, console.err);
    return parsed == cli::Parsed::kAnswered ? kGood : kFailed;
  }
  std::string word;
  cli::CommandLine line(
      "`man [COMMAND]...` prints a man page, `man --list` lists the pages, and `completion bash` "
      "prints the script that completes command lines.",
      std::string("tunehub-agent ") + argv[0]);
  line.Add("WORD", word, "a command, or bash");
  return ParseArguments(line, argc, argv, console).value_or(kFailed);
}

std::optional<int> ParseArguments(cli::CommandLine& line, int argc, char** argv, Console& console) {
  NoteOptions notes;
  line.AddCommonFlag("--quiet", notes.quiet, "print only results and errors");
  line.AddCommonFlag("-v,--verbose", notes.requests,
                     "print each request to the hub, with its status and time");
  if (console.describe != nullptr) {
    *console.describe = line.Describe();
    return kGood;
  }
  switch (line.Parse(argc, argv, console.out, console.err)) {
    case cli::Parsed::kGiven:
      notes.waits = true;
      notes.requests = notes.requests || line.IsGiven("--verbose");  // of a command's own -v
      SetNotes(notes, console.err);
      return std::nullopt;
    case cli::Parsed::kAnswered:
      return kGood;
    case cli::Parsed::kWrong:
      break;
  }
  return kFailed;
}

int Fail(Console& console, std::string_view command, const core::Error& error) {
  const std::size_t line = std::min(error.detail.find('\n'), error.detail.size());
  console.err << BeginError << "tunehub-agent " << command << ": " << error.detail.substr(0, line)
              << " (" << error.code << ')' << error.detail.substr(line) << '\n'
              << EndError;
  return kFailed;
}

}  // namespace tunehub::agent
