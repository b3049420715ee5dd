#include "core/cli/man_page.h"

#include <fmt/format.h>

#include <algorithm>

namespace tunehub::cli {
namespace {

// Text as roff shows it: a hyphen that can be copied, no backslash that it would read, and no line
// that begins like one of its requests.
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

std::string UpperCase(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return text;
}

// The first long name, which others may be spellings of.
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
  if (option.required) text += "It has to be given.\n";
  if (!option.fallback.empty()) text += "Default: " + Roff(option.fallback) + ".\n";
  if (!option.env.empty()) text += "Where it is not given: $" + Roff(option.env) + ".\n";
  return text;
}

std::string Section(const std::string& title, const std::string& text) {
  return text.empty() ? "" : ".SH " + title + "\n" + text;
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
  return fmt::format(".TH {} 1 \"\" \"{} {}\"\n", UpperCase(Roff(page)), Roff(program.name),
                     Roff(program.version)) +
         Section("NAME", Roff(page) + " \\- " + Roff(command.headline()) + "\n") +
         Section("SYNOPSIS", Synopsis(command)) +
         Section("DESCRIPTION", Roff(command.about) + "\n") + Section("COMMANDS", commands) +
         Section("OPTIONS", options) +
         Section("NOTES", command.footer.empty() ? "" : Roff(command.footer) + "\n") +
         Section("SEE ALSO", others.empty() ? "" : others + "\n");
}

}  // namespace tunehub::cli
