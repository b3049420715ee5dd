#include "core/shapes/engine_reads.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "core/base/text.h"
#include "core/row/cell.h"

namespace tunehub::core {
namespace {

constexpr std::array kReadKinds = {ProductKind::kDense, ProductKind::kBatched,
                                   ProductKind::kExperts};

bool HasOrTakesAny(const std::vector<std::string>& texts, std::string_view text) {
  return texts.empty() || std::ranges::find(texts, text) != texts.end();
}

bool HoldsOn(const ReadRule& rule, std::string_view gfx, std::string_view rocm) {
  if (!HasOrTakesAny(rule.gfx, gfx)) return false;
  return rule.rocm_from.empty() || rocm.empty() ||
         VersionNumbers(rocm) >= VersionNumbers(rule.rocm_from);
}

ReadRule ReadOne(JsonObject& object) {
  ReadRule rule;
  const std::string of = object.Text("of");
  const auto kind = std::ranges::find_if(
      kReadKinds, [&](ProductKind it) { return tunehub::core::Name(it) == of; });
  if (kind == kReadKinds.end()) {
    object.Fail("of", fmt::format("must be dense, batched or experts, but is '{}'", Excerpt(of)));
  } else {
    rule.of = *kind;
  }
  rule.schemes = object.Texts("schemes");
  rule.gfx = object.Texts("gfx");
  rule.rocm_from = object.Text("rocm_from", "");
  if (!rule.rocm_from.empty() && !IsRocmVersion(rule.rocm_from)) {
    object.Fail("rocm_from", fmt::format("'{}': expected a version", Excerpt(rule.rocm_from)));
  }
  rule.family = object.Text("family");
  object.Finish();
  return rule;
}

}  // namespace

std::vector<std::int64_t> VersionNumbers(std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t point = std::min(rest.find('.'), rest.size());
    const auto number = ParseInt64(rest.substr(0, point));
    if (!number || *number < 0) break;
    numbers.push_back(*number);
    rest.remove_prefix(std::min(point + 1, rest.size()));
  }
  return numbers;
}

bool IsRocmVersion(std::string_view text) {
  const auto points = static_cast<std::size_t>(std::ranges::count(text, '.'));
  return VersionNumbers(text).size() == points + 1;
}

const ReadRule* EngineReads::RuleFor(ProductKind of, std::string_view scheme, std::string_view gfx,
                                     std::string_view rocm) const {
  const auto found = std::ranges::find_if(rules, [&](const ReadRule& rule) {
    return rule.of == of && HasOrTakesAny(rule.schemes, scheme) && HoldsOn(rule, gfx, rocm);
  });
  return found == rules.end() ? nullptr : &*found;
}

std::vector<std::string> EngineReads::SchemesOf(std::string_view family, std::string_view gfx,
                                                std::string_view rocm) const {
  std::vector<std::string> schemes;
  for (const ReadRule& rule : rules) {
    if (rule.family != family) continue;
    for (const std::string& scheme : rule.schemes) {
      if (RuleFor(rule.of, scheme, gfx, rocm) == &rule) schemes.push_back(scheme);
    }
  }
  return schemes;
}

Result<std::vector<EngineReads>> ParseEngineReads(std::string_view name, std::string_view json) {
  JsonErrors errors{std::string(name), "bad_engines"};
  const nlohmann::json document = ParseJson(json, errors);
  JsonObject root(document, "", errors);
  root.Text("about", "");
  std::vector<EngineReads> all;
  for (JsonObject& object : root.Objects("engines")) {
    EngineReads engine{object.Text("name"), object.Text("title"), object.Text("source"), {}};
    for (JsonObject& rule : object.Objects("reads")) engine.rules.push_back(ReadOne(rule));
    object.Finish();
    all.push_back(std::move(engine));
  }
  root.Finish();
  if (errors.any()) return errors.first();
  return all;
}

}  // namespace tunehub::core
