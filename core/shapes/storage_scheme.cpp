#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/base/text.h"
#include "core/row/cell.h"
#include "core/shapes/config_figures.h"
#include "core/shapes/quantization.h"

namespace tunehub::core {
namespace {

// Prefixes of layers' names, in transformers' checkpoints and in engines.
constexpr std::array<std::string_view, 5> kRoots = {"model.", "model.language_model.",
                                                    "language_model.model.", "language_model.", ""};
constexpr std::string_view kLayers = "layers.";
// Steps that each comparison costs in addition to its pattern's steps.
constexpr std::int64_t kComparison = 20;

// "model.language_model.layers.3.mlp" -> "layers.3.mlp".
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

using Json = nlohmann::ordered_json;

constexpr std::int64_t kLargestBlock = 65'536;
constexpr std::int64_t kNvfp4Group = 16;

Stored Of(std::string_view scheme, std::int64_t group = 0) {
  return {std::string(scheme), 0, 0, group};
}

// Returns 0 if one group contains all inputs (-1 or null in configs).
std::int64_t GroupOf(ConfigFigures& config, const char* member) {
  const Json* const value = config.Find(member);
  if (value != nullptr && value->is_number_integer() && *value == -1) return 0;
  return std::min(config.Optional(member, 0), kLargestBlock);
}

// Reads [128, 128]. Ignores an absent member; complains about any other value.
void ReadBlock(ConfigFigures& config, const char* member, Stored& out) {
  const Json* const block = config.Find(member);
  if (block == nullptr) return;
  const auto is_side = [](const Json& it) {
    return it.is_number_integer() && it >= 1 && it <= kLargestBlock;
  };
  if (!block->is_array() || block->size() != 2 || !std::ranges::all_of(*block, is_side)) {
    return config.Complain(member, fmt::format("must be two numbers from 1 to {}, but is {}",
                                               kLargestBlock, Excerpt(block->dump())));
  }
  out.block_n = block->front().get<std::int64_t>();
  out.block_k = block->back().get<std::int64_t>();
  out.scheme = kFp8Block;
}

// Returns the dtypes in {"dtype": "fp8_e4m3"} or in a list of these, joined: "fp8", "fp8+int4"; "":
// none.
std::string DtypesOf(ConfigFigures& layer, const char* member, std::string& qscheme) {
  const Json* const value = layer.Find(member);
  if (value == nullptr) return {};
  std::set<std::string> dtypes;
  for (const Json& it : value->is_array() ? *value : Json::array({*value})) {
    if (!it.is_object() || !it.contains("dtype") || !it["dtype"].is_string()) {
      layer.Complain(member, fmt::format("must contain `dtype`, but is {}", Excerpt(it.dump())));
      continue;
    }
    std::string dtype = it["dtype"];
    if (dtype == "mx" && it.contains("mx_element_dtype") && it["mx_element_dtype"].is_string()) {
      dtype = it["mx_element_dtype"];
    }
    if (it.contains("qscheme") && it["qscheme"].is_string()) qscheme = it["qscheme"];
    dtypes.insert(dtype.starts_with("fp8") ? "fp8" : dtype);
  }
  return fmt::format("{}", fmt::join(dtypes, "+"));
}

}  // namespace

Result<StorageRule> RuleOf(ModuleNaming naming, const std::string& entry, const Stored& stored) {
  StorageRule rule{naming, std::string(BelowModel(entry)), -1, nullptr, stored};
  const bool regex = entry.starts_with("re:");
  const bool glob = (naming == ModuleNaming::kGlob || naming == ModuleNaming::kInside) &&
                    entry.find_first_of("*?[") != entry.npos;
  if (regex || glob) {
    // An entry "model.layers.*.self_attn" also matches all modules inside it.
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

Stored SchemeOfFp8(ConfigFigures& config) {
  Stored stored = Of(kFp8);
  ReadBlock(config, "weight_block_size", stored);
  return stored;
}

Stored SchemeOfGroup(ConfigFigures& group) {
  ConfigFigures weights = group.Object("weights");
  ConfigFigures inputs = group.Object("input_activations");
  const std::int64_t bits = weights.Optional("num_bits", 0);
  const std::int64_t input_bits = inputs.Optional("num_bits", inputs.empty() ? 0 : bits);
  const bool floats = weights.Text("type", "int") == "float";
  Stored stored = Of("", GroupOf(weights, "group_size"));
  if (bits == 0) group.Doubt("weights.num_bits", " is missing");
  const std::string name = fmt::format("{}{}{}", floats ? "fp" : "int", bits,
                                       input_bits > 0 ? fmt::format(" x {}", input_bits) : "");
  stored.scheme = SchemeCalled(name);
  if (stored.scheme.empty()) stored.scheme = name;
  if (bits == 4 && floats && stored.group == kNvfp4Group) stored.scheme = kNvfp4;
  if (stored.scheme == kFp8) ReadBlock(weights, "block_structure", stored);
  weights.Find("block_structure");
  inputs.Text("type");
  inputs.Find("group_size");
  weights.NoteUnknown();
  inputs.NoteUnknown();
  return stored;
}

Stored SchemeOfQuark(ConfigFigures& layer) {
  std::string scheme, ignored;
  const std::string weights = DtypesOf(layer, "weight", scheme);
  const std::string inputs = DtypesOf(layer, "input_tensors", ignored);
  if (weights.empty()) return {};
  const std::string types = weights + (inputs.empty() ? "" : " x " + inputs);
  const std::string known = SchemeCalled("quark " + types);
  const bool blocks = weights == "fp8" && !scheme.starts_with("per_tensor") &&
                      !scheme.starts_with("per_channel") && !scheme.empty();
  if (!known.empty() && !blocks) return Of(known);
  layer.Doubt("weight", fmt::format(" is {}{}", Excerpt(types), blocks ? " " + scheme : ""));
  return Of(fmt::format("quark {}", Excerpt(types)));
}

Stored SchemeOfIntegers(ConfigFigures& config, const Stored& general) {
  const std::int64_t usual = general.scheme == kInt8Weights ? 8 : 4;
  const std::int64_t bits = config.Optional("bits", config.Optional("w_bit", usual));
  const char* const member = config.Has("q_group_size") ? "q_group_size" : "group_size";
  const std::int64_t group = config.Has(member) ? GroupOf(config, member) : general.group;
  if (bits >= 16) return {};
  if (bits == 4 || bits == 8) return Of(bits == 8 ? kInt8Weights : kInt4, group);
  return Of(fmt::format("int{}", bits), group);
}

Stored SchemeOfAlgorithm(ConfigFigures& config, const std::string& member,
                         const std::string& algorithm) {
  Stored stored = Of(SchemeCalled(algorithm), GroupOf(config, "group_size"));
  if (stored.scheme.empty()) {
    config.Doubt(member, fmt::format(" '{}' is an unknown algorithm", Excerpt(algorithm)));
    stored.scheme = fmt::format("modelopt {}", Excerpt(algorithm));
  }
  if (stored.scheme == kFp8Block) stored.block_n = stored.block_k = kUsualBlock;
  return stored;
}

}  // namespace tunehub::core
