#include <algorithm>

#include "core/cli/state.h"

namespace tunehub::cli {
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

}  // namespace tunehub::cli
