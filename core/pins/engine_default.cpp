#include "core/pins/engine_default.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "core/base/excerpt.h"

namespace tunehub::pins {
namespace {

using core::Error;
using core::Result;

std::optional<std::int64_t> WholeNumber(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The facts of one key, and what follows from them.
class Known {
 public:
  Known(const EngineRules& rules, const Facts& facts) : rules_(rules), facts_(facts) {
    const auto number = [&](const char* name) {
      const auto found = facts.find(name);
      return found == facts.end() ? 0 : WholeNumber(found->second).value_or(0);
    };
    // As the engines have it: a block shape is one where neither part is 0. Its second part is the
    // size of a group.
    const std::int64_t block_k = number("block_k");
    const bool blocks = number("block_n") != 0 && block_k != 0;
    facts_["block_shape"] = blocks ? "1" : "0";
    if (blocks) facts_["group"] = std::to_string(block_k);
    const auto platform = facts_.find("platform");
    if (platform != facts_.end() && platform->second.empty()) facts_.erase(platform);
  }

  Result<std::string> Text(const std::string& fact) const {
    const auto found = facts_.find(fact);
    if (found != facts_.end()) return found->second;
    const auto lacking = rules_.lacking.find(fact);
    return Error{"default_needs",
                 fmt::format("the default of {} depends on {}: {}; the file's name does not say it",
                             rules_.name(), fact,
                             lacking == rules_.lacking.end() ? "a column" : lacking->second)};
  }

  Result<std::int64_t> Number(const std::string& fact) const {
    const auto text = Text(fact);
    if (!text.ok()) return text.error();
    const auto number = WholeNumber(*text);
    if (number) return *number;
    return Error{"default_needs", fmt::format("{}: '{}' is no whole number, and the default of {} "
                                              "depends on it",
                                              fact, core::Excerpt(*text), rules_.name())};
  }

  Result<bool> Holds(const Test& test) const {
    if (test.below) {
      const auto number = Number(test.fact);
      if (!number.ok()) return number.error();
      return *number < *test.below;
    }
    const auto text = Text(test.fact);
    if (!text.ok()) return text.error();
    if (test.present) return (!text->empty() && *text != "0") == *test.present;
    return std::ranges::find(test.texts, *text) != test.texts.end();
  }

  // What is false needs nothing more, so a fact is asked for only where it decides.
  Result<bool> HoldAll(const std::vector<Test>& tests) const {
    std::optional<Error> unknown;
    for (const Test& test : tests) {
      const auto holds = Holds(test);
      if (holds.ok() && !*holds) return false;
      if (!holds.ok() && !unknown) unknown = holds.error();
    }
    if (unknown) return *unknown;
    return true;
  }

  Result<std::int64_t> Bound(const UpTo& up_to) const {
    std::int64_t bound = up_to.times;
    if (!up_to.of.empty()) {
      const auto number = Number(up_to.of);
      if (!number.ok()) return number.error();
      bound *= *number;
    }
    if (up_to.over.empty()) return bound;
    const auto number = Number(up_to.over);
    if (!number.ok()) return number.error();
    if (*number > 0) return bound / *number;
    return Error{"default_needs", fmt::format("{} is {}, and the default of {} is divided by it",
                                              up_to.over, *number, rules_.name())};
  }

  // One step's config at M.
  Result<std::string> ConfigAt(const RuleStep& step, std::int64_t m) const {
    std::string json = "{";
    for (const auto& [name, value] : step.config) {
      Result<std::int64_t> number = std::int64_t{0};
      if (const auto* plain = std::get_if<std::int64_t>(&value)) number = *plain;
      if (const auto* fact = std::get_if<std::string>(&value)) number = Number(*fact);
      if (const auto* most = std::get_if<MAtMost>(&value)) number = std::min(m, most->most);
      if (!number.ok()) return number.error();
      json += fmt::format("{}\"{}\":{}", json.size() == 1 ? "" : ",", name, *number);
    }
    return json + "}";
  }

 private:
  const EngineRules& rules_;
  Facts facts_;
};

// The last M from which on a config of the step stays the same.
std::int64_t SameFrom(const RuleStep& step) {
  std::int64_t from = 1;
  for (const auto& [name, value] : step.config) {
    if (const auto* most = std::get_if<MAtMost>(&value)) from = std::max(from, most->most);
  }
  return from;
}

Result<EngineDefault> StepsOf(const Rule& rule, const Known& known) {
  std::vector<EngineDefault::Step> steps;
  std::int64_t begin = 1;  // of the step's M
  for (const RuleStep& step : rule.steps) {
    const Result<std::int64_t> end = step.up_to ? known.Bound(*step.up_to) : kAnyM;
    if (!end.ok()) return end.error();
    for (std::int64_t m = begin; m <= *end; ++m) {
      auto config = known.ConfigAt(step, m);
      if (!config.ok()) return config.error();
      if (m >= SameFrom(step)) m = *end;
      steps.push_back({m, *std::move(config)});
    }
    begin = std::max(begin, *end + 1);
  }
  return EngineDefault(std::move(steps));
}

std::string KindOf(std::string_view family, const Facts& facts) {
  std::string kind(family);
  for (const char* column :
       {"dtype", "input_dtype", "out_dtype", "block_n", "block_k", "backend"}) {
    const auto found = facts.find(column);
    if (found != facts.end() && !found->second.empty() && found->second != "0") {
      kind += fmt::format(" {}={}", column, core::Excerpt(found->second));
    }
  }
  return kind;
}

}  // namespace

const std::string& EngineDefault::Of(std::int64_t m) const {
  return std::ranges::lower_bound(steps_, std::min(m, kAnyM), {}, &Step::up_to)->config;
}

std::vector<std::int64_t> EngineDefault::Bounds() const {
  std::vector<std::int64_t> bounds;
  for (std::size_t i = 0; i + 1 < steps_.size(); ++i) bounds.push_back(steps_[i].up_to);
  return bounds;
}

Result<EngineDefault> DefaultOf(const EngineRules& rules, std::string_view family,
                                const Facts& facts) {
  const Known known(rules, facts);
  const Error silent{"default_rule_silent", fmt::format("the rules of {} say nothing of {}",
                                                        rules.name(), KindOf(family, facts))};
  const auto engine = facts.find("engine");
  if (engine != facts.end() && engine->second != rules.engine) return silent;
  const auto found = std::ranges::find(rules.families, family, &FamilyRules::family);
  if (found == rules.families.end()) return silent;
  const auto meant = known.HoldAll(found->only);
  if (!meant.ok()) return meant.error();
  if (!*meant) return silent;
  for (const Rule& rule : found->rules) {
    const auto holds = known.HoldAll(rule.when);
    if (!holds.ok()) return holds.error();
    if (!*holds) continue;
    if (rule.no_default.empty()) return StepsOf(rule, known);
    return Error{"default_unknown", fmt::format("{}: {}", rules.name(), rule.no_default)};
  }
  return silent;
}

std::string_view PlatformOf(std::string_view gfx) {
  if (gfx.starts_with("gfx")) return "rocm";
  return gfx.starts_with("sm_") ? "cuda" : "";
}

core::Status AddGiven(const EngineRules& rules, std::string_view given, Facts& facts) {
  std::string known;
  for (const auto& [fact, what] : rules.lacking) {
    if (fact != "platform") known += (known.empty() ? "" : ", ") + fact;
  }
  while (!given.empty()) {
    const std::string_view item = given.substr(0, given.find(','));
    given.remove_prefix(std::min(given.size(), item.size() + 1));
    const std::size_t colon = item.find(':');
    const std::string fact(item.substr(0, colon));
    if (!rules.lacking.contains(fact) || fact == "platform") {
      return Error{"bad_parameter", fmt::format("given: '{}' is nothing that the rules of {} ask "
                                                "for; they ask for {}",
                                                core::Excerpt(fact), rules.name(), known)};
    }
    const std::string_view value = colon == std::string_view::npos ? "" : item.substr(colon + 1);
    if (const auto number = WholeNumber(value); !number || *number < 0) {
      return Error{"bad_parameter", fmt::format("given: {} is '{}', no whole number from 0", fact,
                                                core::Excerpt(value))};
    }
    facts.emplace(fact, value);
  }
  return core::Ok();
}

}  // namespace tunehub::pins
