// The file format of an engine's defaults.
#include "core/pins/default_rule.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/excerpt.h"
#include "core/base/json_object.h"

namespace tunehub::pins {
namespace {

using core::JsonObject;

// What every key has or implies; the rest a file names as "lacking".
constexpr std::array<std::string_view, 13> kOfTheKey = {"E",
                                                        "N",
                                                        "K",
                                                        "M",
                                                        "dtype",
                                                        "input_dtype",
                                                        "block_n",
                                                        "block_k",
                                                        "block_shape",
                                                        "down",
                                                        "per_channel_quant",
                                                        "backend",
                                                        "out_dtype"};

class RuleReader {
 public:
  explicit RuleReader(const EngineRules& rules) : rules_(rules) {}

  std::vector<Test> ReadTests(JsonObject object) const {
    std::vector<Test> tests;
    for (const std::string& fact : object.MemberNames()) {
      Test test{CheckFact(object, fact, fact), {}, {}, {}};
      const nlohmann::json& value = *object.Value(fact);
      if (value.is_boolean()) {
        test.present = value.get<bool>();
      } else if (value.is_object()) {
        JsonObject bounds = object.Object(fact);
        test.below = bounds.Integer("below", 0);
        bounds.Finish();
      } else if (value.is_array() && !value.empty() && value.front().is_number()) {
        for (const double number : object.Numbers(fact)) {
          test.texts.push_back(std::to_string(static_cast<std::int64_t>(number)));
        }
      } else {
        test.texts = object.Texts(fact);
      }
      tests.push_back(std::move(test));
    }
    object.Finish();
    return tests;
  }

  Rule ReadRule(JsonObject object) const {
    Rule rule;
    if (object.Has("when")) rule.when = ReadTests(object.Object("when"));
    rule.no_default = object.Text("no_default", "");
    if (object.Has("config")) rule.steps.push_back({{}, ReadConfig(object)});
    if (object.Has("steps")) {
      for (JsonObject& step : object.Objects("steps")) rule.steps.push_back(ReadStep(step));
    }
    if (rule.steps.empty() == rule.no_default.empty()) {
      object.Fail("", "has to have a config, steps or no_default, and one of them alone");
    }
    for (std::size_t i = 0; i < rule.steps.size(); ++i) {
      const bool last = i + 1 == rule.steps.size();
      if (rule.steps[i].up_to.has_value() == last) {
        object.Fail("steps", "every step but the last has to have up_to, and the last has none");
      }
    }
    object.Finish();
    return rule;
  }

 private:
  std::string CheckFact(JsonObject& object, const std::string& member,
                        const std::string& fact) const {
    const bool known =
        std::ranges::find(kOfTheKey, fact) != kOfTheKey.end() || rules_.lacking.contains(fact);
    if (!known) {
      object.Fail(member, fmt::format("'{}' is no column of a key, and not in lacking",
                                      core::Excerpt(fact)));
    }
    return fact;
  }

  UpTo ReadUpTo(JsonObject& step) const {
    if (step.IsText("up_to")) return {1, CheckFact(step, "up_to", step.Text("up_to")), ""};
    const nlohmann::json* value = step.Value("up_to");
    if (value->is_number()) return {step.Integer("up_to", 0), "", ""};
    JsonObject object = step.Object("up_to");
    UpTo up_to{object.Integer("times", 1), object.Text("of"), object.Text("over", "")};
    CheckFact(object, "of", up_to.of);
    if (!up_to.over.empty()) CheckFact(object, "over", up_to.over);
    object.Finish();
    return up_to;
  }

  RuleStep ReadStep(JsonObject& object) const {
    RuleStep step;
    if (object.Has("up_to")) step.up_to = ReadUpTo(object);
    step.config = ReadConfig(object);
    object.Finish();
    return step;
  }

  std::vector<std::pair<std::string, Value>> ReadConfig(JsonObject& object) const {
    std::vector<std::pair<std::string, Value>> config;
    JsonObject members = object.Object("config");
    for (const std::string& name : Ordered(members.MemberNames())) {
      const nlohmann::json* value = members.Value(name);
      if (value->is_string()) {
        config.emplace_back(name, CheckFact(members, name, members.Text(name)));
      } else if (value->is_object()) {
        JsonObject most = members.Object(name);
        config.emplace_back(name, MAtMost{most.Integer("M_at_most", 1)});
        most.Finish();
      } else {
        config.emplace_back(name, members.Integer(name, 0));
      }
    }
    members.Finish();
    if (config.empty()) object.Fail("config", "is empty");
    return config;
  }

  // As the engines' own files have them; a parsed object has its members sorted.
  static std::vector<std::string> Ordered(std::vector<std::string> names) {
    constexpr std::array<std::string_view, 6> kOrder = {
        "BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M", "num_warps", "num_stages"};
    std::ranges::stable_sort(names, {}, [&](const std::string& name) {
      return std::ranges::find(kOrder, name) - kOrder.begin();
    });
    return names;
  }

  const EngineRules& rules_;
};

}  // namespace

core::Result<EngineRules> ParseEngineRules(std::string_view name, std::string_view json) {
  core::JsonErrors errors{std::string(name), "bad_default_rule"};
  const nlohmann::json document = core::ParseJson(json, errors);
  if (errors.any()) return errors.first();
  JsonObject root(document, "", errors);
  EngineRules rules;
  rules.engine = root.Text("engine");
  rules.version = root.Text("version");
  rules.date = root.Text("date");
  root.Text("about", "");  // for people
  if (root.Has("lacking")) {
    JsonObject lacking = root.Object("lacking");
    for (const std::string& fact : lacking.MemberNames()) rules.lacking[fact] = lacking.Text(fact);
    lacking.Finish();
  }
  const RuleReader reader(rules);
  for (JsonObject& object : root.Objects("families")) {
    FamilyRules family{object.Text("family"), {}, {}};
    if (object.Has("for")) family.only = reader.ReadTests(object.Object("for"));
    for (JsonObject& rule : object.Objects("rules")) family.rules.push_back(reader.ReadRule(rule));
    object.Finish();
    rules.families.push_back(std::move(family));
  }
  root.Finish();
  if (errors.any()) return errors.first();
  return rules;
}

core::Result<std::vector<EngineRules>> LoadEngineRules(const core::TextFolder& folder) {
  const auto names = folder.Names();
  if (!names.ok()) return names.error();
  std::vector<EngineRules> all;
  for (const std::string& name : *names) {
    const auto text = folder.Read(name);
    if (!text) return core::Error{"file_unreadable", folder.PlaceOf(name) + " cannot be read"};
    auto rules = ParseEngineRules(folder.PlaceOf(name), *text);
    if (!rules.ok()) return rules.error();
    all.push_back(*std::move(rules));
  }
  return all;
}

core::Result<const EngineRules*> FindEngineRules(const std::vector<EngineRules>& all,
                                                 std::string_view name) {
  std::string known;
  for (const EngineRules& rules : all) {
    if (rules.name() == name) return &rules;
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", rules.name(), rules.date);
  }
  return core::Error{"no_default_rule",
                     fmt::format("engine: what '{}' runs untuned is not known; there are {}",
                                 core::Excerpt(name), known.empty() ? "no rules" : known)};
}

}  // namespace tunehub::pins
