#include "core/shapes/storage_scheme.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/base/excerpt.h"

namespace tunehub::core {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kLargestBlock = 65'536;
constexpr std::int64_t kNvfp4Group = 16;

Stored Of(std::string_view scheme, std::int64_t group = 0) {
  return {std::string(scheme), 0, 0, group};
}

// -1 and null are one group for all inputs.
std::int64_t GroupOf(ConfigFigures& config, const char* member) {
  const Json* const value = config.Find(member);
  if (value != nullptr && value->is_number_integer() && *value == -1) return 0;
  return std::min(config.Optional(member, 0), kLargestBlock);
}

// [128, 128]; nothing where there is no such member, a complaint where it is something else.
bool ReadBlock(ConfigFigures& config, const char* member, Stored& out) {
  const Json* const block = config.Find(member);
  if (block == nullptr) return false;
  const auto side = [&](std::size_t i) {
    return (*block)[i].is_number_integer() && (*block)[i].get<std::int64_t>() > 0 &&
           (*block)[i].get<std::int64_t>() <= kLargestBlock;
  };
  if (!block->is_array() || block->size() != 2 || !side(0) || !side(1)) {
    config.Complain(member, fmt::format("must be two numbers from 1 to {}, not {}", kLargestBlock,
                                        Excerpt(block->dump())));
    return false;
  }
  out.block_n = (*block)[0].get<std::int64_t>();
  out.block_k = (*block)[1].get<std::int64_t>();
  out.scheme = kFp8Block;
  return true;
}

// "fp8_e4m3" and "int4" of {"dtype": ...} or of a list of them; "": nothing.
std::string DtypesOf(ConfigFigures& layer, const char* member, std::string& qscheme) {
  const Json* const value = layer.Find(member);
  if (value == nullptr) return {};
  std::set<std::string> dtypes;
  for (const Json& it : value->is_array() ? *value : Json::array({*value})) {
    if (!it.is_object() || !it.contains("dtype") || !it["dtype"].is_string()) {
      layer.Complain(member, fmt::format("must say its dtype, not {}", Excerpt(it.dump())));
      continue;
    }
    std::string dtype = it["dtype"];
    if (dtype == "mx" && it.contains("mx_element_dtype") && it["mx_element_dtype"].is_string()) {
      dtype = it["mx_element_dtype"];
    }
    if (it.contains("qscheme") && it["qscheme"].is_string()) qscheme = it["qscheme"];
    dtypes.insert(dtype.starts_with("fp8") ? "fp8" : dtype);
  }
  std::string text;
  for (const std::string& it : dtypes) text += (text.empty() ? "" : "+") + it;
  return text;
}

struct Types {
  std::string_view weights, inputs, scheme;
};

constexpr std::array<Types, 12> kQuarkTypes = {{{"fp4", "fp4", kFp4},
                                                {"fp4", "", kMxfp4},
                                                {"fp4", "fp8", "fp4_fp8"},
                                                {"fp8", "fp8", kFp8},
                                                {"fp8", "", kFp8},
                                                {"int8", "int8", kInt8},
                                                {"int8", "", kInt8Weights},
                                                {"int4", "", kInt4},
                                                {"uint4", "", kInt4},
                                                {"int4", "fp8", "int4_fp8"},
                                                {"fp8+int4", "fp8", "int4_fp8"},
                                                {"bfloat16", "", kBf16}}};

// Beside bits of the weights: whether they are floats, and the bits of the inputs (0: as they are).
struct Bits {
  std::int64_t weights;
  bool floats;
  std::int64_t inputs;
  std::string_view scheme;
};

constexpr std::array<Bits, 8> kGroupBits = {{{8, true, 8, kFp8},
                                             {8, true, 0, "fp8_weights"},
                                             {8, false, 8, kInt8},
                                             {8, false, 0, kInt8Weights},
                                             {4, true, 4, kFp4},
                                             {4, true, 0, kMxfp4},
                                             {4, true, 8, "fp4_fp8"},
                                             {4, false, 0, kInt4}}};

struct Algorithm {
  std::string_view name, scheme;
};

constexpr std::array<Algorithm, 9> kAlgorithms = {{{"FP8", kFp8},
                                                   {"FP8_PER_CHANNEL_PER_TOKEN", kFp8},
                                                   {"FP8_PB_WO", kFp8Block},
                                                   {"NVFP4", kNvfp4},
                                                   {"NVFP4_AWQ", kNvfp4},
                                                   {"W4A16_NVFP4", kNvfp4},
                                                   {"W4A16_AWQ", kInt4},
                                                   {"W4A8_AWQ", "int4_fp8"},
                                                   {"INT8_SQ", kInt8}}};

}  // namespace

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
  const auto* const known = std::ranges::find_if(kGroupBits, [&](const Bits& it) {
    return it.weights == bits && it.floats == floats && it.inputs == input_bits;
  });
  if (bits == 0) group.Doubt("weights.num_bits", " is missing");
  stored.scheme = known != kGroupBits.end()
                      ? std::string(known->scheme)
                      : fmt::format("{}{}_a{}", floats ? "fp" : "int", bits, input_bits);
  if (bits == 4 && floats && stored.group == kNvfp4Group) stored.scheme = kNvfp4;
  if (stored.scheme == kFp8) ReadBlock(weights, "block_structure", stored);
  weights.Find("block_structure");
  inputs.Text("type");
  inputs.Find("group_size");
  weights.NoteUnknown(HarmlessStorageMembers());
  inputs.NoteUnknown(HarmlessStorageMembers());
  return stored;
}

Stored SchemeOfQuark(ConfigFigures& layer) {
  std::string scheme, ignored;
  const std::string weights = DtypesOf(layer, "weight", scheme);
  const std::string inputs = DtypesOf(layer, "input_tensors", ignored);
  if (weights.empty()) return {};
  const auto* const known = std::ranges::find_if(
      kQuarkTypes, [&](const Types& it) { return it.weights == weights && it.inputs == inputs; });
  const bool blocks = weights == "fp8" && !scheme.starts_with("per_tensor") &&
                      !scheme.starts_with("per_channel") && !scheme.empty();
  if (known != kQuarkTypes.end() && !blocks) return Of(known->scheme);
  const std::string name = std::string(Excerpt(weights)) + (inputs.empty() ? "" : " x " + inputs);
  layer.Doubt("weight", fmt::format(" is {}{}", name, blocks ? " " + scheme : ""));
  return Of("quark " + name);
}

Stored SchemeOfIntegers(ConfigFigures& config, const Stored& general) {
  const std::int64_t usual = general.scheme == kInt8Weights ? 8 : 4;
  const std::int64_t bits = config.Optional("bits", config.Optional("w_bit", usual));
  std::int64_t group = GroupOf(config, config.Has("q_group_size") ? "q_group_size" : "group_size");
  if (!config.Has("group_size") && !config.Has("q_group_size")) group = general.group;
  if (bits >= 16) return {};
  if (bits == 4 || bits == 8) return Of(bits == 8 ? kInt8Weights : kInt4, group);
  return Of(fmt::format("int{}", bits), group);
}

Stored SchemeOfAlgorithm(ConfigFigures& config, const std::string& member,
                         const std::string& algorithm) {
  const auto* const known = std::ranges::find(kAlgorithms, algorithm, &Algorithm::name);
  const std::int64_t group = GroupOf(config, "group_size");
  if (known == kAlgorithms.end()) {
    config.Doubt(member, fmt::format(" '{}' is no known algorithm", Excerpt(algorithm)));
    return Of(fmt::format("modelopt {}", Excerpt(algorithm)));
  }
  Stored stored = Of(known->scheme, group);
  if (stored.scheme == kFp8Block) stored.block_n = stored.block_k = kUsualBlock;
  return stored;
}

}  // namespace tunehub::core
