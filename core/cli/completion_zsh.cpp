#include <fmt/core.h>

#include "core/cli/completion.h"

namespace tunehub::cli {
namespace {

constexpr char kQuoteInZsh[] = "'\\''";

// In the specifications of _arguments these three end a part.
std::string Part(const std::string& text) {
  std::string part;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') part += '\\';
    part += c == '\n' ? ' ' : c;
  }
  return part;
}

std::string ValueOf(const DescribedOption& option) {
  std::string values;
  for (const std::string& choice : option.suggested) values += (values.empty() ? "" : " ") + choice;
  return values.empty() ? "_files" : "(" + values + ")";
}

// Options that may come again have no names that exclude each other.
std::string Specification(const DescribedOption& option) {
  if (option.positional) {
    return fmt::format("    {}\n", Quoted((option.many ? "*:" : ":") + Part(option.names.front()) +
                                              ":" + ValueOf(option),
                                          kQuoteInZsh));
  }
  std::string others, text;
  for (const std::string& name : option.names) others += (others.empty() ? "" : " ") + name;
  for (const std::string& name : option.names) {
    const std::string equals = option.is_flag() || !name.starts_with("--") ? "" : "=";
    const std::string value =
        option.is_flag() ? "" : ":" + Part(option.value) + ":" + ValueOf(option);
    text += fmt::format("    {}\n", Quoted((option.many ? "*" : "(" + others + ")") + name +
                                               equals + "[" + Part(option.help) + "]" + value,
                                           kQuoteInZsh));
  }
  return text;
}

void AddFunctions(const Description& command, std::string& text) {
  const std::string function = FunctionName(command.name);
  std::string specifications, commands;
  for (const DescribedOption& option : command.options) specifications += Specification(option);
  for (const Description& below : command.commands) {
    commands += fmt::format(
        "    {}\n",
        Quoted(below.last_word() + ":" + (below.summary.empty() ? below.about : below.summary),
               kQuoteInZsh));
    AddFunctions(below, text);
  }
  text += fmt::format("_{}() {{\n", function);
  if (!commands.empty()) {
    text += fmt::format(R"(  local -a commands=(
{1}  )
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe command commands
    return
  fi
  local function=_{0}_${{words[2]//-/_}}
  if (( CURRENT > 2 && $+functions[$function] )); then
    shift words
    (( CURRENT-- ))
    $function
    return
  fi
)",
                        function, commands);
  }
  text += fmt::format("  local -a specifications=(\n{}  )\n  _arguments -S $specifications\n}}\n\n",
                      specifications);
}

}  // namespace

std::string ZshCompletion(const Description& program) {
  std::string functions;
  AddFunctions(program, functions);
  return fmt::format(R"(#compdef {0}
# zsh completion of {0}, which makes it: {0} completion zsh

{1}if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _{2} "$@"
else
  compdef _{2} {0}
fi
)",
                     program.name, functions, FunctionName(program.name));
}

}  // namespace tunehub::cli
