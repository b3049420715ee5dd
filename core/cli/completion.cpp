#include "core/cli/completion.h"

#include <fmt/format.h>

namespace tunehub::cli {
namespace {

std::string FunctionName(const std::string& typed) {
  std::string name = typed;
  for (char& c : name) c = c == '-' || c == ' ' ? '_' : c;
  return name;
}

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

// The words that follow the program's name and lead to `command`: "", " pull", " key create".
std::string PathOf(const Description& program, const Description& command) {
  return command.name.substr(program.name.size());
}

void AddPaths(const Description& program, const Description& command, std::string& paths) {
  for (const Description& below : command.commands) {
    paths += (paths.empty() ? "" : "|") + Quoted(PathOf(program, below));
    AddPaths(program, below, paths);
  }
}

// What may stand behind an option: its choices, or a file's name, which the shell completes itself.
std::string ValueCases(const Description& command) {
  std::string cases, others;
  for (const DescribedOption& option : command.options) {
    if (option.positional || option.is_flag()) continue;
    const std::string names = fmt::format("{}", fmt::join(option.names, "|"));
    if (option.suggested.empty()) {
      others += (others.empty() ? "" : "|") + names;
      continue;
    }
    const std::string words = fmt::format("{}", fmt::join(option.suggested, " "));
    cases += fmt::format("        {}) values={} ;;\n", names, Quoted(words));
  }
  if (!others.empty()) cases += fmt::format("        {}) return ;;\n", others);
  return cases.empty() ? "" : "      case $before in\n" + cases + "      esac\n";
}

void AddCommand(const Description& program, const Description& command, std::string& text) {
  std::string words;
  bool files = false;
  for (const Description& below : command.commands) words += ' ' + below.last_word();
  for (const DescribedOption& option : command.options) {
    files = files || option.positional;
    for (const std::string& name : option.names) words += option.positional ? "" : ' ' + name;
  }
  text += fmt::format("    {})\n{}      words={}\n{}      ;;\n", Quoted(PathOf(program, command)),
                      ValueCases(command), Quoted(words.empty() ? "" : words.substr(1)),
                      files ? "      files=1\n" : "");
  for (const Description& below : command.commands) AddCommand(program, below, text);
}

}  // namespace

std::string BashCompletion(const Description& program) {
  std::string paths, commands;
  AddPaths(program, program, paths);
  AddCommand(program, program, commands);
  const std::string walk = paths.empty() ? ""
                                         : fmt::format(R"(  while ((at < COMP_CWORD)); do
    case "$path ${{COMP_WORDS[at]}}" in
      {}) path+=" ${{COMP_WORDS[at]}}" ;;
      *) break ;;
    esac
    ((at++))
  done
)",
                                                       paths);
  return fmt::format(R"(# bash completion of {0}, which makes it: {0} completion bash
_{1}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
  local path= at=1 words= values= files=
  COMPREPLY=()
  # "--option=value" is three words of bash's.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
{2}  case $path in
{3}  esac
  if [[ -n $values ]]; then
    words=$values
  elif [[ -n $files && $word != -* ]]; then
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}}
complete -o bashdefault -o default -F _{1} {0}
)",
                     program.name, FunctionName(program.name), walk, commands);
}

}  // namespace tunehub::cli
