// The arguments of a program or a command: declared once, and parsed, described by --help,
// completed by a shell and printed as a man page from that. The one file that compiles CLI11 stands
// behind it.
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

// What a command line takes, as data.
struct DescribedOption {
  std::vector<std::string> names;      // "-o", "--output"; a positional has one without a dash
  std::string help, fallback, env;     // fallback: the default that --help tells
  std::string value;                   // what it takes, in a word: "TEXT", "1 to 100"; a flag: ""
  std::vector<std::string> choices;    // the only values that it takes; none: others
  std::vector<std::string> suggested;  // what a shell proposes: these, or some of many
  bool positional = false, required = false;
  bool many = false;  // several values

  bool is_flag() const { return value.empty(); }
};

struct Description {
  std::string name;     // what is typed: "tunehub-agent pull"
  std::string summary;  // a few words; "": the first sentence of `about` will do
  std::string about, footer;
  std::string version;  // of a program
  std::vector<DescribedOption> options;
  std::vector<Description> commands;

  // The summary, or what stands for it.
  std::string headline() const {
    std::string text = summary.empty() ? about : summary;
    if (const auto dot = text.find(". "); dot != std::string::npos) text.resize(dot);
    if (text.ends_with('.')) text.pop_back();
    return text;
  }
  std::string last_word() const { return name.substr(name.rfind(' ') + 1); }
};

// One argument that was declared, to say more about it.
class Option {
 public:
  struct Declared;
  explicit Option(Declared& declared) : declared_(&declared) {}

  const Option& Required() const;
  const Option& Env(const std::string& variable) const;  // where it is not given
  const Option& Delimiter(char between) const;           // of several values in one argument
  const Option& Range(int least, int most) const;
  const Option& Range(double least, double most) const;
  const Option& OneOf(std::vector<std::string> choices) const;
  const Option& Suggest(std::vector<std::string> values) const;  // among others
  const Option& ShowDefault() const;                         // --help tells what its variable holds
  const Option& ShowDefault(const std::string& text) const;  // --help tells this
  const Option& Needs(const Option& other) const;
  const Option& Excludes(const Option& other) const;

 private:
  Declared* declared_;
};

enum class Parsed { kGiven, kAnswered, kWrong };

class CommandLine {
 public:
  // `name` is what is typed: "tunehub-agent pull".
  CommandLine(const std::string& about, const std::string& name);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // `names` as in "-o,--output"; without a dash, what stands alone. A variable keeps its value
  // where its argument is not given.
  template <typename T>
  Option Add(const std::string& names, T& variable, const std::string& help);
  Option AddFlag(const std::string& names, bool& variable, const std::string& help);
  Option AddTaken(const std::string& names, const std::function<void(const std::string&)>& take,
                  const std::string& help);
  void AddVersion(const std::string& version);
  // One of several, of which one has to be typed.
  CommandLine& AddCommand(const std::string& name, const std::string& about);
  void SetFooter(const std::string& footer);

  // kAnswered: --help or --version was, on `out`. kWrong: what is wrong was said on `err`.
  Parsed Parse(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

  // What is wrong, as it is said: with the name before it, and where to read on.
  std::string Complaint(const std::string& what) const;

  // After parsing. By its first long name, as in "--output".
  bool IsGiven(const std::string& option) const { return Given().contains(option); }
  std::set<std::string> Given() const;
  bool IsTyped() const;  // this command

  Description Describe() const;

 private:
  struct State;
  explicit CommandLine(std::unique_ptr<State> state);
  Option Keep(CLI::Option* option);
  std::string WhatIsWrong(const std::string& error) const;
  std::vector<std::string> KnownOptions() const;

  std::unique_ptr<State> state_;
};

// Two commands that every program has and --help does not list:
//   completion bash       what bash completes it by
//   man [COMMAND]...      its man page, or that of a command; `man --list` names all pages

// `program` is whose version and name the page has; `command` itself or one below it.
std::string ManPage(const Description& program, const Description& command);

// What bash is told to complete a program's commands and options by: one file that needs nothing
// else.
std::string BashCompletion(const Description& program);

bool AsksForManual(int argc, const char* const* argv);
// What AsksForManual is true of; `program` with all its commands.
Parsed AnswerManual(const Description& program, int argc, const char* const* argv,
                    std::ostream& out, std::ostream& err);

}  // namespace tunehub::cli
