#include <fmt/format.h>

#include "core/cli/completion.h"

namespace tunehub::cli {
namespace {

constexpr char kQuoteInZsh[] = "'\\''";

// A specification of _arguments, with a backslash before what would end a part of it.
std::string Part(const std::string& text) {
  std::string part;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') part += '\\';
    part += c == '\n' ? ' ' : c;
  }
  return part;
}

std::string ValueOf(const DescribedOption& option) {
  if (option.suggested.empty()) return "_files";
  return fmt::format("({})", fmt::join(option.suggested, " "));
}

// An option that may come again is marked by *; the names of any other exclude each other.
std::string Specification(const DescribedOption& option) {
  if (option.positional) {
    return fmt::format("    {}\n", Quoted((option.many ? "*:" : ":") + Part(option.names.front()) +
                                              ":" + ValueOf(option),
                                          kQuoteInZsh));
  }
  const std::string prefix = option.many ? "*" : fmt::format("({})", fmt::join(option.names, " "));
  std::string text;
  for (const std::string& name : option.names) {
    const std::string equals = option.is_flag() || !name.starts_with("--") ? "" : "=";
    const std::string value =
        option.is_flag() ? "" : ":" + Part(option.value) + ":" + ValueOf(option);
    text += fmt::format(
        "    {}\n",
        Quoted(prefix + name + equals + "[" + Part(option.help) + "]" + value, kQuoteInZsh));
  }
  return text;
}

void AddFunctions(const Description& command, std::string& text) {
  const std::string function = FunctionName(command.name);
  std::string specifications, commands;
  for (const DescribedOption& option : command.options) specifications += Specification(option);
  for (const Description& below : command.commands) {
    commands +=
        fmt::format("    {}\n", Quoted(below.last_word() + ":" + below.headline(), kQuoteInZsh));
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
