#include <fmt/format.h>

#include "core/cli/completion.h"

namespace tunehub::cli {
namespace {

constexpr char kQuoteInFish[] = "\\'";

std::string InFish(const std::string& text) {
  std::string doubled;
  for (const char c : text) doubled += c == '\\' ? std::string("\\\\") : std::string(1, c);
  return Quoted(doubled, kQuoteInFish);
}

std::string Condition(const char* test, const Description& program, const Description& command) {
  return InFish("__" + FunctionName(program.name) + "_" + test +
                command.name.substr(program.name.size()));
}

std::string Line(const Description& program, const Description& command,
                 const DescribedOption& option) {
  std::string text =
      fmt::format("complete -c {} -n {}", program.name, Condition("begins", program, command));
  for (const std::string& name : option.names) {
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.suggested.empty()) {
    text += " -x -a " + InFish(fmt::format("{}", fmt::join(option.suggested, " ")));
  } else if (!option.is_flag()) {
    text += " -r -F";
  }
  return text + " -d " + InFish(option.help) + "\n";
}

void AddLines(const Description& program, const Description& command, std::string& text) {
  bool files = false;
  for (const Description& below : command.commands) {
    text +=
        fmt::format("complete -c {} -n {} -a {} -d {}\n", program.name,
                    Condition("is", program, command), below.last_word(), InFish(below.headline()));
  }
  for (const DescribedOption& option : command.options) {
    files = files || option.positional;
    if (!option.positional) text += Line(program, command, option);
  }
  if (files) {
    text += fmt::format("complete -c {} -n {} -F\n", program.name,
                        Condition("begins", program, command));
  }
  for (const Description& below : command.commands) AddLines(program, below, text);
}

}  // namespace

std::string FishCompletion(const Description& program) {
  std::string lines;
  AddLines(program, program, lines);
  return fmt::format(R"(# fish completion of {0}, which makes it: {0} completion fish
# Whether the words behind the program's name begin with these.
function __{1}_begins
    set -l words (commandline -opc)
    set -e words[1]
    test (count $words) -ge (count $argv); or return 1
    for i in (seq (count $argv))
        test "$words[$i]" = "$argv[$i]"; or return 1
    end
end
# Whether they are these and no other.
function __{1}_is
    set -l words (commandline -opc)
    test (count $words) -eq (math (count $argv) + 1); and __{1}_begins $argv
end
complete -c {0} -f
{2})",
                     program.name, FunctionName(program.name), lines);
}

}  // namespace tunehub::cli
