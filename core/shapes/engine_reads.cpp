#include "core/shapes/engine_reads.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/excerpt.h"
#include "core/base/json_object.h"

namespace tunehub::core {
namespace {

constexpr std::array kReadKinds = {ProductKind::kDense, ProductKind::kBatched,
                                   ProductKind::kExperts};

bool HasOrTakesAny(const std::vector<std::string>& texts, std::string_view text) {
  return texts.empty() || std::ranges::find(texts, text) != texts.end();
}

bool IsOfFamily(const ReadRule& rule, std::string_view family, std::string_view gfx) {
  return !rule.families.empty() && HasOrTakesAny(rule.families, family) &&
         HasOrTakesAny(rule.gfx, gfx);
}

ReadRule ReadOne(JsonObject& object) {
  ReadRule rule;
  const std::string of = object.Text("of");
  const auto kind = std::ranges::find_if(
      kReadKinds, [&](ProductKind it) { return tunehub::core::Name(it) == of; });
  if (kind == kReadKinds.end()) {
    object.Fail("of", fmt::format("must be dense, batched or experts, not '{}'", Excerpt(of)));
  } else {
    rule.of = *kind;
  }
  rule.schemes = object.Texts("schemes");
  rule.gfx = object.Texts("gfx");
  rule.families = object.Texts("families");
  if (rule.families.empty()) object.Fail("families", "names no table");
  object.Finish();
  return rule;
}

}  // namespace

const ReadRule* EngineReads::RuleOf(std::string_view family, ProductKind of,
                                    std::string_view scheme, std::string_view gfx) const {
  const auto found = std::ranges::find_if(rules, [&](const ReadRule& rule) {
    return rule.of == of && IsOfFamily(rule, family, gfx) && HasOrTakesAny(rule.schemes, scheme);
  });
  return found == rules.end() ? nullptr : &*found;
}

std::vector<std::string> EngineReads::SchemesOf(std::string_view family,
                                                std::string_view gfx) const {
  std::vector<std::string> schemes;
  for (const ReadRule& rule : rules) {
    if (!IsOfFamily(rule, family, gfx)) continue;
    schemes.insert(schemes.end(), rule.schemes.begin(), rule.schemes.end());
  }
  return schemes;
}

Result<std::vector<EngineReads>> ParseEngineReads(std::string_view name, std::string_view json) {
  JsonErrors errors{std::string(name), "bad_engines"};
  const nlohmann::json document = ParseJson(json, errors);
  if (errors.any()) return errors.first();
  JsonObject root(document, "", errors);
  root.Text("about", "");
  std::vector<EngineReads> all;
  for (JsonObject& object : root.Objects("engines")) {
    EngineReads engine{object.Text("name"), object.Text("title"), {}};
    object.Text("about", "");
    for (JsonObject& rule : object.Objects("reads")) engine.rules.push_back(ReadOne(rule));
    object.Finish();
    all.push_back(std::move(engine));
  }
  root.Finish();
  if (errors.any()) return errors.first();
  return all;
}

}  // namespace tunehub::core
