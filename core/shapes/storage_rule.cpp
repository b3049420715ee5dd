// One entry of a list of modules, and what it matches.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/row/cell.h"
#include "core/shapes/quantization.h"

namespace tunehub::core {
namespace {

// Where the layers of a model are, in checkpoints of transformers and in engines.
constexpr std::array<std::string_view, 5> kRoots = {"model.", "model.language_model.",
                                                    "language_model.model.", "language_model.", ""};
constexpr std::string_view kLayers = "layers.";
// Steps of a comparison, beside those of its pattern.
constexpr std::int64_t kComparison = 20;

// "layers.3.mlp" of "model.language_model.layers.3.mlp".
std::string_view BelowModel(std::string_view entry) {
  const std::size_t at = entry.find(kLayers);
  if (at == entry.npos || (at > 0 && entry[at - 1] != '.')) return entry;
  const std::string_view root = entry.substr(0, at);
  return std::ranges::find(kRoots, root) == kRoots.end() ? entry : entry.substr(at);
}

std::int64_t LayerIn(std::string_view text) {
  if (!text.starts_with(kLayers)) return -1;
  text.remove_prefix(kLayers.size());
  const std::size_t end = std::min(text.size(), text.find_first_not_of("0123456789"));
  if (end < text.size() && text[end] != '.') return -1;
  return ParseInt64(text.substr(0, end)).value_or(-1);
}

bool Matches(const StorageRule& rule, const std::string& name, std::int64_t& steps) {
  if (rule.pattern != nullptr) {
    return std::ranges::any_of(kRoots, [&](std::string_view root) {
      steps -= kComparison;
      return steps >= 0 && rule.pattern->Matches(std::string(root) + name, steps);
    });
  }
  if (rule.naming == ModuleNaming::kAll) return true;
  if (rule.naming == ModuleNaming::kExact) return name == rule.text;
  if (rule.naming == ModuleNaming::kSubstring) return name.find(rule.text) != std::string::npos;
  return ("." + name + ".").find("." + rule.text + ".") != std::string::npos;
}

}  // namespace

Result<StorageRule> RuleOf(ModuleNaming naming, const std::string& entry, const Stored& stored) {
  StorageRule rule{naming, std::string(BelowModel(entry)), -1, nullptr, stored};
  const bool regex = entry.starts_with("re:");
  const bool glob = (naming == ModuleNaming::kGlob || naming == ModuleNaming::kInside) &&
                    entry.find_first_of("*?[") != entry.npos;
  if (regex || glob) {
    // "model.layers.*.self_attn" of a list of modules is all that they hold.
    const std::string text =
        naming == ModuleNaming::kInside ? fmt::format("*{}*", rule.text) : entry;
    auto pattern = regex ? Pattern::Regex(std::string_view(entry).substr(3)) : Pattern::Glob(text);
    if (!pattern.ok()) return pattern.error();
    rule.pattern = std::make_shared<const Pattern>(*std::move(pattern));
  }
  if (!regex && naming != ModuleNaming::kSubstring) rule.layer = LayerIn(rule.text);
  while (naming != ModuleNaming::kSubstring && rule.text.ends_with('.')) rule.text.pop_back();
  return rule;
}

Stored Quantization::Of(std::span<const std::string> modules, std::int64_t layer,
                        std::int64_t& steps) const {
  std::vector<std::string> names;
  for (const std::string& module : modules) {
    names.push_back(fmt::format("layers.{}.{}", layer, module));
  }
  for (const StorageRule& rule : rules) {
    if (--steps < 0) break;
    if (rule.layer >= 0 && rule.layer != layer) continue;
    steps -= kComparison;
    const auto matches = [&](const std::string& name) { return Matches(rule, name, steps); };
    if (std::ranges::any_of(names, matches)) return rule.stored;
  }
  return {};
}

}  // namespace tunehub::core
