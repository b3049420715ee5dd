// How a checkpoint's weights are stored, as its config.json says it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tunehub::core {

// The schemes that families know. Another method keeps its own name, and no family takes it.
inline constexpr std::string_view kBf16 = "bf16";
inline constexpr std::string_view kFp8 = "fp8";             // a scale per tensor or per channel
inline constexpr std::string_view kFp8Block = "fp8_block";  // 1x128 by 128x128
inline constexpr std::string_view kInt8 = "int8";           // of both operands
inline constexpr std::string_view kInt4 = "int4";           // of the weights alone
inline constexpr std::string_view kInt8Weights = "int8_weights";
inline constexpr std::string_view kFp4 = "fp4";      // of both operands, 1x32
inline constexpr std::string_view kMxfp4 = "mxfp4";  // of the weights alone, 1x32
inline constexpr std::string_view kNvfp4 = "nvfp4";

// A module that keeps its precision: "self_attn", in one layer or (-1) in all.
struct Unconverted {
  std::string module;  // "": all of the layer
  std::int64_t layer = -1;
};

struct Quantization {
  bool given = false;  // false: the config says nothing, weights are as they were trained
  std::string scheme = std::string(kBf16);
  std::int64_t block_n = 0, block_k = 0;  // of "fp8_block"
  std::int64_t group = 0;                 // of "int4": inputs that share a scale
  std::vector<Unconverted> unconverted;

  // In how many of `layers` layers the module keeps its precision; its names are dotted paths below
  // a layer, as checkpoints and engines spell them: "self_attn.q_proj".
  std::int64_t LayersLeft(std::initializer_list<std::string_view> names, std::int64_t layers) const;
};

// The blocks of every checkpoint in 128x128 that is published.
inline constexpr std::int64_t kUsualBlock = 128;

// Of a config.json's quantization_config. What is wrong is appended to `complaint`.
Quantization ReadQuantization(const nlohmann::json& config, std::string& complaint);

}  // namespace tunehub::core
