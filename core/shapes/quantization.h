// How a checkpoint stores its weights in each layer, according to its config.json.
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

// Regular expressions and globs for module names in checkpoints. Anybody may write such a pattern,
// so its length and its number of matching steps are limited. std::regex has no limit and may take
// exponential time. RE2 lacks look-aheads, which published checkpoints use.
class Pattern {
 public:
  // The limit for all matches of one config. Published configs need a thousandth of it.
  static constexpr std::int64_t kMostSteps = 30'000'000;

  // Matches as Python's re.match does. Errors: bad_pattern, with the reason.
  static Result<Pattern> Regex(std::string_view text);
  // Matches the whole name, as Python's fnmatch does.
  static Result<Pattern> Glob(std::string_view text);

  // Subtracts the steps that it takes from `steps`. If `steps` falls below 0, the result is
  // invalid.
  bool Matches(std::string_view text, std::int64_t& steps) const;

 private:
  using Code = std::shared_ptr<const pcre2_real_code_8>;
  explicit Pattern(Code code) : code_(std::move(code)) {}
  static Result<Pattern> Compile(std::string_view shown, std::string_view regex, unsigned options);

  Code code_;
};

// The schemes (ways to store the operands) that families support. A checkpoint with another scheme
// keeps that scheme's own name.
inline constexpr std::string_view kBf16 = "bf16";
inline constexpr std::string_view kFp8 = "fp8";  // one scale per tensor or per channel
// one scale per 1x128 inputs and per 128x128 weights
inline constexpr std::string_view kFp8Block = "fp8_block";
inline constexpr std::string_view kInt8 = "int8";  // both operands are int8
inline constexpr std::string_view kInt4 = "int4";  // only the weights are int4
inline constexpr std::string_view kInt8Weights = "int8_weights";
// both operands are fp4, with one scale per 1x32
inline constexpr std::string_view kFp4 = "fp4";
// only the weights are fp4, with one scale per 1x32
inline constexpr std::string_view kMxfp4 = "mxfp4";
inline constexpr std::string_view kNvfp4 = "nvfp4";

struct Stored {
  std::string scheme = std::string(kBf16);
  std::int64_t block_n = 0, block_k = 0;  // for "fp8_block"
  std::int64_t group = 0;                 // for "int4": inputs that share a scale

  bool operator==(const Stored&) const = default;
};

// A matrix product's weights in some of its layers. `layers` is 0 if their number is unknown.
struct StoredLayers {
  Stored stored;
  std::int64_t layers = 0;
};

// How an entry of a quantization method's list names modules.
enum class ModuleNaming {
  kExact,      // the whole name
  kInside,     // consecutive components: "self_attn" matches all its projections
  kSubstring,  // any part of the name: "mlp.gate" also matches "mlp.gate_proj"
  kGlob,       // *, ? and [] anywhere; without them like kInside
  kAll,        // every linear layer
};

// An entry of a list of modules; "re:" begins a regular expression.
struct StorageRule {
  ModuleNaming naming = ModuleNaming::kAll;
  std::string text;                        // a name below the model: "layers.3.mlp"
  std::int64_t layer = -1;                 // the only layer that the rule can match; -1: any layer
  std::shared_ptr<const Pattern> pattern;  // null: compare `text` instead
  Stored stored;
};

// The storage of most layers, and the exceptions in the order in which the quantization method
// tries them.
struct Quantization : Stored {
  bool given = false;              // false: the config has no quantization_config
  bool head = false;               // lm_head is stored like linear layers
  std::vector<StorageRule> rules;  // the first match counts; no match: the weight is bf16

  // Returns the storage of a layer's module, which may have several names ("self_attn.q_proj",
  // "self_attn.qkv_proj"). `steps`: as in Pattern::Matches.
  Stored Of(std::span<const std::string> modules, std::int64_t layer, std::int64_t& steps) const;
};

// Published block-quantized checkpoints use blocks of 128x128.
inline constexpr std::int64_t kUsualBlock = 128;

// Parses an entry of a list. Errors: bad_pattern, with the reason.
Result<StorageRule> RuleOf(ModuleNaming naming, const std::string& entry, const Stored& stored);

class ConfigFigures;

// The scheme of a weight, from each method's members.
Stored SchemeOfFp8(ConfigFigures& config);
// llm-compressor: a group of layers, described by the bits of its weights and of their inputs.
Stored SchemeOfGroup(ConfigFigures& group);
// AMD Quark: described by the types of weights and inputs. Without a member "weight", the weight
// keeps its precision.
Stored SchemeOfQuark(ConfigFigures& layer);
// GPTQ, AWQ and AutoRound: only weights are integers. `general`: values for absent members.
Stored SchemeOfIntegers(ConfigFigures& config, const Stored& general = {});
// ModelOpt: described by its algorithm's name, the value of `member`.
Stored SchemeOfAlgorithm(ConfigFigures& config, const std::string& member,
                         const std::string& algorithm);

// Reads a config.json's quantization_config. `config` collects wrong and unknown members.
Quantization ReadQuantization(ConfigFigures& config);

}  // namespace tunehub::core
