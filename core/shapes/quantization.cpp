#include "core/shapes/quantization.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/excerpt.h"
#include "core/shapes/unconverted.h"

namespace tunehub::core {
namespace {

using nlohmann::json;

// Where methods list what they leave alone.
constexpr std::array<const char*, 5> kLists = {"modules_to_not_convert", "ignored_layers", "ignore",
                                               "exclude", "exclude_modules"};
constexpr std::int64_t kLargestBlock = 65'536;

std::string TextOf(const json& object, const char* member) {
  return object.contains(member) && object[member].is_string() ? object[member].get<std::string>()
                                                               : std::string();
}

std::int64_t NumberOf(const json& object, const char* member) {
  if (!object.contains(member) || !object[member].is_number_integer()) return 0;
  return std::clamp<std::int64_t>(object[member].get<std::int64_t>(), 0, kLargestBlock);
}

const json& ObjectOf(const json& object, const char* member) {
  static const json empty = json::object();
  return object.contains(member) && object[member].is_object() ? object[member] : empty;
}

// [128, 128]; nothing where there is no such member, a complaint where it is something else.
bool ReadBlock(const json& object, const char* member, Quantization& out, std::string& complaint) {
  if (!object.contains(member) || object[member].is_null()) return false;
  const json& block = object[member];
  const auto side = [&](std::size_t i) {
    return block[i].is_number_integer() && block[i].get<std::int64_t>() > 0 &&
           block[i].get<std::int64_t>() <= kLargestBlock;
  };
  if (!block.is_array() || block.size() != 2 || !side(0) || !side(1)) {
    complaint +=
        fmt::format("{}quantization_config.{} must be two numbers from 1 to {}, not {}",
                    complaint.empty() ? "" : "; ", member, kLargestBlock, Excerpt(block.dump()));
    return false;
  }
  out.block_n = block[0].get<std::int64_t>();
  out.block_k = block[1].get<std::int64_t>();
  return true;
}

// llm-compressor: one group of layers, by the bits of its weights and of their inputs.
void ReadCompressedTensors(const json& config, Quantization& out, std::string& complaint) {
  const json& groups = ObjectOf(config, "config_groups");
  if (groups.empty() || !groups.begin()->is_object()) {
    out.scheme = "compressed-tensors";
    return;
  }
  const json& weights = ObjectOf(*groups.begin(), "weights");
  const bool inputs = !ObjectOf(*groups.begin(), "input_activations").empty();
  const std::int64_t bits = NumberOf(weights, "num_bits");
  const bool floats = TextOf(weights, "type") == "float";
  out.group = NumberOf(weights, "group_size");
  if (bits == 8 && floats) {
    out.scheme = ReadBlock(weights, "block_structure", out, complaint) ? kFp8Block : kFp8;
  } else if (bits == 8) {
    out.scheme = inputs ? kInt8 : kInt8Weights;
  } else if (bits == 4 && floats) {
    out.scheme = TextOf(weights, "format").starts_with("mx") || out.group == 32 ? kFp4 : kNvfp4;
  } else {
    out.scheme =
        bits == 4 && !inputs ? std::string(kInt4) : fmt::format("compressed-tensors {} bits", bits);
  }
}

// AMD Quark: the types of weights and inputs.
void ReadQuark(const json& config, Quantization& out) {
  const json& layer = ObjectOf(config, "global_quant_config");
  const std::string weight = TextOf(ObjectOf(layer, "weight"), "dtype");
  const bool inputs = !ObjectOf(layer, "input_tensors").empty();
  if (weight == "fp4") {
    out.scheme = inputs ? kFp4 : kMxfp4;
  } else if (weight.starts_with("fp8")) {
    out.scheme = kFp8;
  } else if (weight == "int8") {
    out.scheme = inputs ? kInt8 : kInt8Weights;
  } else {
    out.scheme = "quark " + weight;
  }
}

void ReadModelopt(const json& config, Quantization& out) {
  const std::string algorithm = TextOf(config, "quant_algo");
  out.scheme = algorithm.find("NVFP4") != std::string::npos ? std::string(kNvfp4)
               : algorithm == "FP8"                         ? std::string(kFp8)
                                                            : "modelopt " + algorithm;
}

void ReadScheme(const json& config, Quantization& out, std::string& complaint) {
  const std::string method = TextOf(config, "quant_method");
  if (method == "fp8") {
    out.scheme = ReadBlock(config, "weight_block_size", out, complaint) ? kFp8Block : kFp8;
  } else if (method == "mxfp4") {
    out.scheme = kMxfp4;
  } else if (method == "compressed-tensors") {
    ReadCompressedTensors(config, out, complaint);
  } else if (method == "quark") {
    ReadQuark(config, out);
  } else if (method.starts_with("modelopt")) {
    ReadModelopt(config, out);
  } else if (method == "gptq" || method == "awq" || method == "auto-round") {
    out.group = NumberOf(config, "group_size");
    out.scheme = NumberOf(config, "bits") == 8 ? kInt8Weights : kInt4;
  } else {
    out.scheme = method.empty() ? "unnamed" : std::string(Excerpt(method));
  }
}

}  // namespace

std::int64_t Quantization::LayersLeft(std::initializer_list<std::string_view> names,
                                      std::int64_t layers) const {
  std::set<std::int64_t> some;
  for (const auto& it : unconverted) {
    const bool covers =
        std::ranges::any_of(names, [&](std::string_view name) { return Covers(it.module, name); });
    if (!covers) continue;
    if (it.layer < 0) return layers;
    some.insert(it.layer);
  }
  return std::min(layers, static_cast<std::int64_t>(some.size()));
}

Quantization ReadQuantization(const json& config, std::string& complaint) {
  Quantization out;
  out.given = true;
  ReadScheme(config, out, complaint);
  for (const char* const list : kLists) {
    if (!config.contains(list) || !config[list].is_array()) continue;
    for (const json& entry : config[list]) {
      if (!entry.is_string()) continue;
      auto parsed = ParseUnconverted(entry.get_ref<const std::string&>());
      if (!parsed.module.empty() || parsed.layer >= 0) out.unconverted.push_back(std::move(parsed));
    }
  }
  return out;
}

}  // namespace tunehub::core
