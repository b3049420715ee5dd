#include <fmt/core.h>

#include "core/cli/state.h"

namespace tunehub::cli {

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
  declared_->option->check(CLI::Range(least, most));
  declared_->limits = fmt::format("{} to {}", least, most);
  return *this;
}

const Option& Option::Range(double least, double most) const {
  declared_->option->check(CLI::Range(least, most));
  declared_->limits = fmt::format("{:g} to {:g}", least, most);
  return *this;
}

const Option& Option::OneOf(std::vector<std::string> choices) const {
  declared_->option->check(CLI::IsMember(choices));
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
