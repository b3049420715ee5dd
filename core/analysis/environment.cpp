#include "core/analysis/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/read_json.h"
#include "core/base/text.h"

namespace tunehub::analysis {
namespace {

constexpr std::array<std::string_view, 10> kNoFacts = {
    "env",       "captured", "started", "file",       "runs",
    "arguments", "campaign", "note",    "provenance", "address"};
// Facts that say who measured. If a side has no other fact, its environment is unknown.
constexpr std::array<std::string_view, 3> kMeasuredBy = {"agent", "host", "tuner"};

constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"aiter_commit", "aiter"},      {"triton_version", "triton"}, {"rocm_version", "rocm"},
    {"pytorch_version", "pytorch"}, {"torch_version", "pytorch"}, {"torch", "pytorch"},
    {"driver_version", "driver"}};

constexpr std::size_t kMostNameBytes = 64;

}  // namespace

bool IsFactName(std::string_view name) {
  return !name.empty() && name.size() <= kMostNameBytes && core::HoldsOnly(name, "_-.") &&
         std::string_view("-.0123456789").find(name.front()) == name.npos;
}

bool IsNoFact(std::string_view name) {
  return core::Contains(kNoFacts, name);
}

std::string_view FactName(std::string_view name) {
  for (const auto& [other, one] : kOtherNames) {
    if (name == other) return one;
  }
  return name;
}

std::optional<std::string> FactText(const nlohmann::json& value) {
  if (value.is_number() || value.is_boolean()) return value.dump();
  if (!value.is_string() || core::HoldsControl(value.get_ref<const std::string&>())) return {};
  return value.get<std::string>();
}

core::Status AddFact(std::string_view name, const std::string& value, Environment& environment) {
  const auto [known, fresh] = environment.emplace(FactName(name), value);
  if (fresh || known->second == value) return core::Ok();
  return core::Error{"two_values", fmt::format("{} has two values, '{}' and '{}'", known->first,
                                               core::Excerpt(known->second), core::Excerpt(value))};
}

core::Result<Environment> ParseEnvironment(const std::string& file, std::string_view json) {
  core::JsonErrors errors(file, "bad_environment");
  const nlohmann::json object = core::ParseJson(json, errors);
  Environment environment;
  if (!errors.any() && !object.is_object()) errors.Add("", "expected a JSON object");
  if (errors.any()) return errors.first();
  for (const auto& [name, value] : object.items()) {
    const std::string place = "/" + core::EscapedForPointer(name);
    const auto text = FactText(value);
    if (!IsFactName(name)) {
      errors.Add(
          place,
          "expected a fact's name, which is a letter, then letters, digits, '_', '-' and '.'");
    } else if (!text) {
      errors.Add(
          place,
          fmt::format("{}: expected a text without control characters, a number, true or false",
                      core::Excerpt(value.dump())));
    } else if (const auto added = AddFact(name, *text, environment); !added.ok()) {
      errors.Add(place, added.error().detail);
    }
    if (errors.any()) return errors.first();
  }
  return environment;
}

Environment EnvironmentOf(std::string_view csv) {
  Environment environment;
  while (csv.starts_with('#')) {
    const std::string_view line = csv.substr(1, csv.find('\n') - 1);
    csv.remove_prefix(std::min(csv.size(), line.size() + 2));
    const std::size_t colon = line.find(':');
    const std::string_view name = core::Trim(line.substr(0, colon));
    if (colon == std::string_view::npos || !IsFactName(name)) continue;
    environment[std::string(FactName(name))] = core::Trim(line.substr(colon + 1));
  }
  return environment;
}

Environments CompareEnvironments(const Environment& base, const Environment& head) {
  Environments environments;
  bool is_known = false;
  for (const auto& [name, value] : base) {
    if (IsNoFact(name)) continue;
    const auto other = head.find(name);
    if (other == head.end() || other->second != value) environments.differing.push_back(name);
    is_known = is_known || !core::Contains(kMeasuredBy, name);
  }
  for (const auto& [name, value] : head) {
    if (!IsNoFact(name) && !base.contains(name)) environments.differing.push_back(name);
  }
  std::ranges::sort(environments.differing);
  environments.is_repetition = is_known && environments.differing.empty();
  return environments;
}

std::string Text(const Environments& environments) {
  if (environments.is_repetition) return "one: base and head have the same facts";
  if (environments.differing.empty()) return "unknown: neither side has facts";
  return fmt::format("two: these facts differ: {}", fmt::join(environments.differing, ", "));
}

}  // namespace tunehub::analysis
