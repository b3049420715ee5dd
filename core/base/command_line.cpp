#include "core/base/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <deque>
#include <ostream>

#include "core/base/text.h"

namespace tunehub::cli {

struct Option::Declared {
  CLI::Option* option;
  std::vector<std::string> choices, suggested;
  std::string limits;
};

struct CommandLine::State {
  std::string name, version;
  std::unique_ptr<CLI::App> own;  // null for a command: its parent's App owns `app`
  CLI::App* app;
  std::deque<Option::Declared> declared;  // Options point into it
  std::vector<std::unique_ptr<CommandLine>> commands;
};

CommandLine::CommandLine(const std::string& about, const std::string& name)
    : state_(std::make_unique<State>()) {
  state_->name = name;
  state_->own = std::make_unique<CLI::App>(about, name);
  state_->app = state_->own.get();
}

CommandLine::CommandLine(std::unique_ptr<State> state) : state_(std::move(state)) {}
CommandLine::~CommandLine() = default;

Option CommandLine::Keep(CLI::Option* option) {
  state_->declared.push_back({option, {}, {}, {}});
  return Option(state_->declared.back());
}

template <typename T>
Option CommandLine::Add(const std::string& names, T& variable, const std::string& help) {
  return Keep(state_->app->add_option(names, variable, help));
}

template Option CommandLine::Add(const std::string&, std::string&, const std::string&);
template Option CommandLine::Add(const std::string&, std::vector<std::string>&, const std::string&);
template Option CommandLine::Add(const std::string&, std::vector<int>&, const std::string&);
template Option CommandLine::Add(const std::string&, int&, const std::string&);
template Option CommandLine::Add(const std::string&, unsigned&, const std::string&);
template Option CommandLine::Add(const std::string&, std::int64_t&, const std::string&);
template Option CommandLine::Add(const std::string&, double&, const std::string&);

Option CommandLine::AddFlag(const std::string& names, bool& variable, const std::string& help) {
  return Keep(state_->app->add_flag(names, variable, help));
}

Option CommandLine::AddTaken(const std::string& names,
                             const std::function<void(const std::string&)>& take,
                             const std::string& help) {
  return Keep(state_->app->add_option_function<std::string>(names, take, help));
}

void CommandLine::AddCommonFlag(const std::string& names, bool& variable, const std::string& help) {
  for (const auto& command : state_->commands) command->AddCommonFlag(names, variable, help);
  const std::string last = names.substr(names.rfind(',') + 1);
  if (state_->commands.empty() && state_->app->get_option_no_throw(last) == nullptr)
    AddFlag(names, variable, help);
}

void CommandLine::AddVersion(const std::string& version) {
  state_->version = version;
  state_->app->set_version_flag("--version", version);
}

CommandLine& CommandLine::AddCommand(const std::string& name, const std::string& about) {
  state_->app->require_subcommand(1);
  auto child = std::make_unique<State>();
  child->name = state_->name + ' ' + name;
  child->app = state_->app->add_subcommand(name, about);
  state_->commands.push_back(std::unique_ptr<CommandLine>(new CommandLine(std::move(child))));
  return *state_->commands.back();
}

void CommandLine::SetFooter(const std::string& footer) {
  state_->app->footer(footer);
}

namespace {

// Reworded texts of CLI11 that new users did not understand.
std::string InPlainWords(const CLI::ParseError& error) {
  std::string what = error.what();
  if (error.get_name() == "RequiredError" && what == "A subcommand is required")
    return "the command is missing";
  if (error.get_name() == "ArgumentMismatch" && what.ends_with("missing"))
    return what.substr(0, what.find(':')) + ": the value is missing";
  constexpr std::string_view kExcludes = " excludes ";
  const std::size_t excludes = what.find(kExcludes);
  if (error.get_name() == "ExcludesError" && excludes != std::string::npos)
    what.replace(excludes, kExcludes.size(), " cannot be combined with ");
  return what;
}

// The same rule, whose complaint names the value and what was expected.
CLI::Validator Expecting(CLI::Validator rule, const std::string& expected) {
  const CLI::Validator judge = rule;
  rule.operation([judge, expected](std::string& value) {
    return judge(value).empty() ? "" : fmt::format("'{}': expected {}", value, expected);
  });
  return rule;
}

}  // namespace

Parsed CommandLine::Parse(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  try {
    state_->app->parse(argc, argv);
    return Parsed::kGiven;
  } catch (const CLI::ParseError& error) {
    const bool good = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    if (good) {
      state_->app->exit(error, out, err);
    } else {
      err << WhatIsWrong(InPlainWords(error));
    }
    return good ? Parsed::kAnswered : Parsed::kWrong;
  }
}

// Reports a mistyped option first, because the user often meant the option that is missing.
std::string CommandLine::WhatIsWrong(const std::string& error) const {
  for (const auto& command : state_->commands) {
    if (command->IsTyped()) return command->WhatIsWrong(error);
  }
  std::string what = error;
  for (const std::string& left : state_->app->remaining()) {
    if (left == "--") continue;
    const bool option = left.starts_with('-');
    if (!option && state_->commands.empty()) continue;
    const std::string typed = left.substr(0, left.find('='));
    std::vector<std::string> known = option ? KnownOptions() : std::vector<std::string>();
    for (const auto& command : state_->commands) {
      if (!option) known.push_back(command->state_->app->get_name());
    }
    what = fmt::format("unknown {} '{}'{}", option ? "option" : "command", typed,
                       core::DidYouMean(typed, known));
    break;
  }
  return Complaint(what);
}

std::string CommandLine::Complaint(const std::string& what) const {
  return fmt::format("{0}: {1}\n`{0} --help` lists all commands and options\n", state_->name, what);
}

std::vector<std::string> CommandLine::KnownOptions() const {
  std::vector<std::string> known;
  for (const CLI::Option* option : state_->app->get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  return known;
}

std::set<std::string> CommandLine::Given() const {
  std::set<std::string> given;
  for (const CLI::Option* option : state_->app->get_options()) {
    if (option->count() == 0 || option->get_lnames().empty())
      continue;  // a positional has no long name
    given.insert("--" + option->get_lnames().front());
  }
  return given;
}

bool CommandLine::IsTyped() const {
  return state_->app->parsed();
}

namespace {

DescribedOption Described(const CLI::Option& option, const Option::Declared* declared) {
  DescribedOption described;
  for (const std::string& name : option.get_snames()) described.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) described.names.push_back("--" + name);
  described.positional = described.names.empty();
  if (described.positional) described.names.push_back(option.get_name());
  described.help = option.get_description();
  described.fallback = option.get_default_str();
  described.env = option.get_envname();
  described.required = option.get_required();
  described.many = option.get_items_expected_max() > 1;
  if (option.get_items_expected_max() > 0) described.value = "VALUE";
  if (declared == nullptr) return described;
  described.choices = declared->choices;
  described.suggested = declared->suggested.empty() ? declared->choices : declared->suggested;
  if (!declared->limits.empty()) described.value = declared->limits;
  return described;
}

}  // namespace

Description CommandLine::Describe() const {
  Description description;
  description.name = state_->name;
  description.version = state_->version;
  description.about = state_->app->get_description();
  description.footer = state_->app->get_footer();
  for (const CLI::Option* option : state_->app->get_options()) {
    const auto declared = std::ranges::find(state_->declared, option, &Option::Declared::option);
    const bool known = declared != state_->declared.end();
    description.options.push_back(Described(*option, known ? &*declared : nullptr));
  }
  for (const auto& command : state_->commands) {
    description.commands.push_back(command->Describe());
  }
  return description;
}

const Option& Option::Required() const {
  declared_->option->required();
  return *this;
}

const Option& Option::Env(const std::string& variable) const {
  declared_->option->envname(variable);
  return *this;
}

const Option& Option::Delimiter(char between) const {
  declared_->option->delimiter(between);
  return *this;
}

const Option& Option::Range(int least, int most) const {
  declared_->limits = fmt::format("{} to {}", least, most);
  declared_->option->check(
      Expecting(CLI::Range(least, most), "a number from " + declared_->limits));
  return *this;
}

const Option& Option::Range(double least, double most) const {
  declared_->limits = fmt::format("{:g} to {:g}", least, most);
  declared_->option->check(
      Expecting(CLI::Range(least, most), "a number from " + declared_->limits));
  return *this;
}

const Option& Option::OneOf(std::vector<std::string> choices) const {
  declared_->option->check(
      Expecting(CLI::IsMember(choices), fmt::format("one of {}", fmt::join(choices, ", "))));
  declared_->choices = std::move(choices);
  return *this;
}

const Option& Option::Suggest(std::vector<std::string> values) const {
  declared_->suggested = std::move(values);
  return *this;
}

const Option& Option::ShowDefault() const {
  declared_->option->capture_default_str();
  return *this;
}

const Option& Option::ShowDefault(const std::string& text) const {
  declared_->option->default_str(text);
  return *this;
}

const Option& Option::Needs(const Option& other) const {
  declared_->option->needs(other.declared_->option);
  return *this;
}

const Option& Option::Excludes(const Option& other) const {
  declared_->option->excludes(other.declared_->option);
  return *this;
}

}  // namespace tunehub::cli
