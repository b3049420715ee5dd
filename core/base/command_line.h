// The arguments of a program or a command. The program declares them once, for parsing, --help,
// shell completion and man pages. Only command_line.cpp compiles CLI11.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace CLI {
class Option;
}

namespace tunehub::cli {

// A command line as data.
struct DescribedOption {
  std::vector<std::string> names;      // "-o", "--output"; a positional has one without a dash
  std::string help, fallback, env;     // fallback: the default that --help shows
  std::string value;                   // the kind of value: "VALUE", "1 to 100"; a flag: ""
  std::vector<std::string> choices;    // the only allowed values; empty: any
  std::vector<std::string> suggested;  // values that a shell proposes
  bool positional = false, required = false;
  bool many = false;  // takes several values

  bool is_flag() const { return value.empty(); }
};

struct Description {
  std::string name;     // as typed: "tunehub-agent pull"
  std::string summary;  // a few words; "": the first sentence of `about`
  std::string about, footer;
  std::string version;  // a program's version; "" for a command
  std::vector<DescribedOption> options;
  std::vector<Description> commands;

  // One sentence without its full stop, from `summary` or else from `about`.
  std::string headline() const {
    std::string text = summary.empty() ? about : summary;
    if (const auto dot = text.find(". "); dot != std::string::npos) text.resize(dot);
    if (text.ends_with('.')) text.pop_back();
    return text;
  }
  std::string last_word() const { return name.substr(name.rfind(' ') + 1); }
};

// A declared argument. The member functions add properties.
class Option {
 public:
  struct Declared;
  explicit Option(Declared& declared) : declared_(&declared) {}

  const Option& Required() const;
  // the variable to read if the option is absent
  const Option& Env(const std::string& variable) const;
  // the separator of several values in one argument
  const Option& Delimiter(char between) const;
  const Option& Range(int least, int most) const;
  const Option& Range(double least, double most) const;
  const Option& OneOf(std::vector<std::string> choices) const;
  const Option& Suggest(std::vector<std::string> values) const;  // other values stay allowed
  const Option& ShowDefault() const;                         // --help shows the variable's value
  const Option& ShowDefault(const std::string& text) const;  // --help shows `text`
  const Option& Needs(const Option& other) const;
  const Option& Excludes(const Option& other) const;

 private:
  Declared* declared_;
};

enum class Parsed { kGiven, kAnswered, kWrong };

class CommandLine {
 public:
  // `name` is as typed: "tunehub-agent pull".
  CommandLine(const std::string& about, const std::string& name);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // `names`: "-o,--output", or a positional's name without a dash. Parse does not change the
  // variable of an absent argument.
  template <typename T>
  Option Add(const std::string& names, T& variable, const std::string& help);
  Option AddFlag(const std::string& names, bool& variable, const std::string& help);
  Option AddTaken(const std::string& names, const std::function<void(const std::string&)>& take,
                  const std::string& help);
  // Adds a flag to each command that a user can type, except a command that already has it.
  void AddCommonFlag(const std::string& names, bool& variable, const std::string& help);
  void AddVersion(const std::string& version);
  // Adds a subcommand. If a command has subcommands, the user must type one of them.
  CommandLine& AddCommand(const std::string& name, const std::string& about);
  void SetFooter(const std::string& footer);

  // kAnswered: printed --help or --version on `out`. kWrong: printed an error on `err`.
  Parsed Parse(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

  // The error message for `what`: the command's name, `what`, and a hint to --help.
  std::string Complaint(const std::string& what) const;

  // Call after parsing. `option`: the first long name, such as "--output".
  bool IsGiven(const std::string& option) const { return Given().contains(option); }
  std::set<std::string> Given() const;
  bool IsTyped() const;  // the user typed this command

  Description Describe() const;

 private:
  struct State;
  explicit CommandLine(std::unique_ptr<State> state);
  Option Keep(CLI::Option* option);
  std::string WhatIsWrong(const std::string& error) const;
  std::vector<std::string> KnownOptions() const;

  std::unique_ptr<State> state_;
};

// Every program has two commands that --help does not list:
//   completion bash       prints the completion script for bash
//   man [COMMAND]...      prints the man page of the program or a command; `man --list` lists all
//   pages, `man --json` prints all commands and options for the references of docs/

// The page shows the version and name of `program`. `command`: the program or one of its commands.
std::string ManPage(const Description& program, const Description& command);

// The completion script for a program's commands and options, in one file without dependencies.
std::string BashCompletion(const Description& program);

bool AsksForManual(int argc, const char* const* argv);
// Precondition: AsksForManual is true. `program` contains all its commands.
Parsed AnswerManual(const Description& program, int argc, const char* const* argv,
                    std::ostream& out, std::ostream& err);

}  // namespace tunehub::cli
