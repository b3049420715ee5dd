#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>

#include "core/base/command_line.h"
#include "core/base/text.h"

namespace tunehub::cli {
namespace {

// Escapes text for roff. Hyphens stay copyable. roff takes no backslash and no line start as a
// request.
std::string Roff(const std::string& text) {
  std::string roff;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) roff += "\\&";
    if (c == '\\') {
      roff += "\\e";
    } else if (c == '-') {
      roff += "\\-";
    } else {
      roff += c;
    }
    line_begins = c == '\n';
  }
  return roff;
}

std::string PageName(const std::string& typed) {
  std::string name = typed;
  std::ranges::replace(name, ' ', '-');
  return name;
}

// Returns the first long name. Further long names are alternative spellings.
std::string LongName(const DescribedOption& option) {
  const auto found = std::ranges::find_if(
      option.names, [](const std::string& name) { return name.starts_with("--"); });
  return found == option.names.end() ? option.names.front() : *found;
}

std::string Synopsis(const Description& command) {
  std::string text = ".B " + Roff(command.name) + "\n";
  if (!command.commands.empty()) return text + ".I COMMAND\n[\\fIOPTION\\fR]...\n";
  for (const DescribedOption& option : command.options) {
    if (!option.required || option.positional) continue;
    text += fmt::format("\\fB{}\\fR \\fIVALUE\\fR\n", Roff(LongName(option)));
  }
  text += "[\\fIOPTION\\fR]...\n";
  for (const DescribedOption& option : command.options) {
    if (!option.positional) continue;
    const std::string name = "\\fI" + Roff(option.names.front()) + "\\fR";
    const std::string many = option.many ? "..." : "";
    text += option.required ? name + many + "\n" : "[" + name + "]" + many + "\n";
  }
  return text;
}

std::string Tagged(const DescribedOption& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += (names.empty() ? "\\fB" : ", \\fB") + Roff(name) + "\\fR";
  }
  const std::string value =
      option.choices.empty() ? option.value : fmt::format("{}", fmt::join(option.choices, "|"));
  if (!option.is_flag() && !option.positional) names += " \\fI" + Roff(value) + "\\fR";
  std::string help = option.help;
  if (!help.ends_with('.')) help += '.';
  std::string text = ".TP\n" + names + "\n" + Roff(help) + "\n";
  if (option.required) text += "Required.\n";
  if (!option.fallback.empty()) text += "Default: " + Roff(option.fallback) + ".\n";
  if (!option.env.empty()) text += "Environment variable: $" + Roff(option.env) + ".\n";
  return text;
}

std::string Section(const std::string& title, const std::string& text) {
  return text.empty() ? "" : ".SH " + title + "\n" + text;
}

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

// Returns the words between the program's name and the end of `command`: "", " pull", " key
// create".
std::string PathOf(const Description& program, const Description& command) {
  return command.name.substr(program.name.size());
}

void AddPaths(const Description& program, const Description& command, std::string& paths) {
  for (const Description& below : command.commands) {
    paths += (paths.empty() ? "" : "|") + Quoted(PathOf(program, below));
    AddPaths(program, below, paths);
  }
}

// Returns shell cases for option values: a case suggests words or leaves file names to the shell.
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

constexpr std::string_view kCompletion = "completion", kMan = "man", kList = "--list",
                           kJson = "--json";

Parsed Complete(const Description& program, std::string_view shell, std::ostream& out,
                std::ostream& err) {
  if (shell != "bash") {
    err << program.name << " completion: '" << shell << "': expected bash\n";
    return Parsed::kWrong;
  }
  out << BashCompletion(program);
  return Parsed::kAnswered;
}

void ListPages(const Description& command, std::ostream& out) {
  out << command.name << '\n';
  for (const Description& below : command.commands) ListPages(below, out);
}

nlohmann::json JsonOf(const DescribedOption& option) {
  return {{"names", option.names},       {"help", option.help},
          {"default", option.fallback},  {"variable", option.env},
          {"value", option.value},       {"choices", option.choices},
          {"required", option.required}, {"positional", option.positional},
          {"many", option.many}};
}

nlohmann::json JsonOf(const Description& command) {
  const auto below =
      core::Mapped(command.commands, [](const Description& it) { return JsonOf(it); });
  const auto options =
      core::Mapped(command.options, [](const DescribedOption& it) { return JsonOf(it); });
  return {{"name", command.name},
          {"about", command.about},
          {"footer", command.footer},
          {"options", options},
          {"commands", below}};
}

}  // namespace

std::string ManPage(const Description& program, const Description& command) {
  const std::string page = PageName(command.name);
  std::string options, commands;
  for (const DescribedOption& option : command.options) options += Tagged(option);
  for (const Description& below : command.commands) {
    commands +=
        fmt::format(".TP\n\\fB{}\\fR\n{}\n", Roff(below.last_word()), Roff(below.headline()));
  }
  std::string others;
  for (const Description& below : command.commands) {
    others += fmt::format("{}.BR {} (1)", others.empty() ? "" : " ,\n", Roff(PageName(below.name)));
  }
  if (&command != &program) others = fmt::format(".BR {} (1)", Roff(PageName(program.name)));
  return fmt::format(".TH {} 1 \"\" \"{} {}\"\n", core::Upper(Roff(page)), Roff(program.name),
                     Roff(program.version)) +
         Section("NAME", Roff(page) + " \\- " + Roff(command.headline()) + "\n") +
         Section("SYNOPSIS", Synopsis(command)) +
         Section("DESCRIPTION", Roff(command.about) + "\n") + Section("COMMANDS", commands) +
         Section("OPTIONS", options) +
         Section("NOTES", command.footer.empty() ? "" : Roff(command.footer) + "\n") +
         Section("SEE ALSO", others.empty() ? "" : others + "\n");
}

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

bool AsksForManual(int argc, const char* const* argv) {
  return argc > 1 && (argv[1] == kCompletion || argv[1] == kMan);
}

Parsed AnswerManual(const Description& program, int argc, const char* const* argv,
                    std::ostream& out, std::ostream& err) {
  if (argv[1] == kCompletion) return Complete(program, argc > 2 ? argv[2] : "", out, err);
  if (argc > 2 && argv[2] == kList) {
    ListPages(program, out);
    return Parsed::kAnswered;
  }
  if (argc > 2 && argv[2] == kJson) {
    out << JsonOf(program).dump(1) << '\n';
    return Parsed::kAnswered;
  }
  const Description* command = &program;
  for (int i = 2; i < argc; ++i) {
    const auto below = std::ranges::find(command->commands, argv[i], &Description::last_word);
    if (below == command->commands.end()) {
      const auto known = core::Mapped(command->commands, &Description::last_word);
      err << program.name << " man: unknown command '" << argv[i] << "'"
          << core::DidYouMean(argv[i], known) << '\n';
      return Parsed::kWrong;
    }
    command = &*below;
  }
  out << ManPage(program, *command);
  return Parsed::kAnswered;
}

}  // namespace tunehub::cli
