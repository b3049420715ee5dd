// How a checkpoint's weights are stored, layer by layer, as its config.json says it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

struct pcre2_real_code_8;

namespace tunehub::core {

// Regular expressions and globs of module names, as checkpoints have them. They come from
// strangers: PCRE2 reads short ones alone, and each step of a match is counted. std::regex may take
// exponential time; RE2 lacks the look-aheads that published checkpoints use.
class Pattern {
 public:
  // Of all matches of one config; a published config needs a thousandth of it.
  static constexpr std::int64_t kMostSteps = 30'000'000;

  // As Python's re.match. Error bad_pattern: why.
  static Result<Pattern> Regex(std::string_view text);
  // As Python's fnmatch: all of the name.
  static Result<Pattern> Glob(std::string_view text);

  // Takes what it needs from `steps`; below 0 there is no answer.
  bool Matches(std::string_view text, std::int64_t& steps) const;

 private:
  using Code = std::shared_ptr<const pcre2_real_code_8>;
  explicit Pattern(Code code) : code_(std::move(code)) {}
  static Result<Pattern> Compile(std::string_view shown, std::string_view regex, unsigned options);

  Code code_;
};

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

// How one weight is stored.
struct Stored {
  std::string scheme = std::string(kBf16);
  std::int64_t block_n = 0, block_k = 0;  // of "fp8_block"
  std::int64_t group = 0;                 // of "int4": inputs that share a scale

  bool operator==(const Stored&) const = default;
};

// A product's weights in some of its layers; layers 0: how many is not known.
struct StoredLayers {
  Stored stored;
  std::int64_t layers = 0;
};

// How a method's entry names modules.
enum class ModuleNaming {
  kExact,      // the whole name
  kInside,     // components of it, in their order: "self_attn" is every projection of it
  kSubstring,  // any part of it: "mlp.gate" is "mlp.gate_proj", too
  kGlob,       // *, ? and [] anywhere; without them as kInside
  kAll,        // every linear layer
};

// Modules by an entry of a list, "re:" before a regular expression.
struct StorageRule {
  ModuleNaming naming = ModuleNaming::kAll;
  std::string text;                        // below the model: "layers.3.mlp"
  std::int64_t layer = -1;                 // that it can only be about; -1: any
  std::shared_ptr<const Pattern> pattern;  // null: `text` is compared
  Stored stored;
};

// What a config says in general, and in the order of the method's own matching what differs.
struct Quantization : Stored {
  bool given = false;  // false: the config says nothing, weights are as they were trained
  bool head = false;   // lm_head is stored like linear layers
  std::vector<StorageRule> rules;  // the first that matches counts; none: the weight is bf16

  // How a module of a layer is stored, by any of its names ("self_attn.q_proj",
  // "self_attn.qkv_proj"). Takes what it needs from `steps`; below 0 there is no answer.
  Stored Of(std::span<const std::string> modules, std::int64_t layer, std::int64_t& steps) const;
};

// The blocks of every checkpoint in 128x128 that is published.
inline constexpr std::int64_t kUsualBlock = 128;

// A rule by an entry of a list. Error bad_pattern: why it cannot be read.
Result<StorageRule> RuleOf(ModuleNaming naming, const std::string& entry, const Stored& stored);

class ConfigFigures;

// From what a method says of a weight to its scheme.
Stored SchemeOfFp8(ConfigFigures& config);
// llm-compressor: one group of layers, by the bits of its weights and of their inputs.
Stored SchemeOfGroup(ConfigFigures& group);
// AMD Quark: the types of weights and inputs. No member "weight": the weight keeps its precision.
Stored SchemeOfQuark(ConfigFigures& layer);
// GPTQ, AWQ and AutoRound: integers of the weights alone; `general` is what is not said.
Stored SchemeOfIntegers(ConfigFigures& config, const Stored& general = {});
// ModelOpt: by the name of its algorithm, which stands in `member`.
Stored SchemeOfAlgorithm(ConfigFigures& config, const std::string& member,
                         const std::string& algorithm);

// Of a config.json's quantization_config. What is wrong, unknown or open is among its remarks.
Quantization ReadQuantization(ConfigFigures& config);

}  // namespace tunehub::core
