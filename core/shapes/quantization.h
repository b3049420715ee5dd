// How a checkpoint stores its weights, layer by layer, by its config.json.
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

// Regular expressions and globs of module names in checkpoints. Strangers write them, so their
// length and the steps of matches are limited. std::regex has no such limit and may take
// exponential time; RE2 lacks the look-aheads that published checkpoints use.
class Pattern {
 public:
  // The limit for all matches of one config; published configs need a thousandth of this.
  static constexpr std::int64_t kMostSteps = 30'000'000;

  // As Python's re.match. Error bad_pattern: why.
  static Result<Pattern> Regex(std::string_view text);
  // As Python's fnmatch: matches the whole name.
  static Result<Pattern> Glob(std::string_view text);

  // Subtracts its steps from `steps`; if `steps` falls below 0, the result is invalid.
  bool Matches(std::string_view text, std::int64_t& steps) const;

 private:
  using Code = std::shared_ptr<const pcre2_real_code_8>;
  explicit Pattern(Code code) : code_(std::move(code)) {}
  static Result<Pattern> Compile(std::string_view shown, std::string_view regex, unsigned options);

  Code code_;
};

// The schemes of families. Other methods keep their own names, and no family takes them.
inline constexpr std::string_view kBf16 = "bf16";
inline constexpr std::string_view kFp8 = "fp8";             // a scale per tensor or per channel
inline constexpr std::string_view kFp8Block = "fp8_block";  // 1x128 by 128x128
inline constexpr std::string_view kInt8 = "int8";           // of both operands
inline constexpr std::string_view kInt4 = "int4";           // of the weights alone
inline constexpr std::string_view kInt8Weights = "int8_weights";
inline constexpr std::string_view kFp4 = "fp4";      // of both operands, 1x32
inline constexpr std::string_view kMxfp4 = "mxfp4";  // of the weights alone, 1x32
inline constexpr std::string_view kNvfp4 = "nvfp4";

struct Stored {
  std::string scheme = std::string(kBf16);
  std::int64_t block_n = 0, block_k = 0;  // of "fp8_block"
  std::int64_t group = 0;                 // of "int4": inputs that share a scale

  bool operator==(const Stored&) const = default;
};

// A product's weights in some of its layers; layers 0: unknown number.
struct StoredLayers {
  Stored stored;
  std::int64_t layers = 0;
};

// How a method's entry names modules.
enum class ModuleNaming {
  kExact,      // the whole name
  kInside,     // consecutive components: "self_attn" matches each of its projections
  kSubstring,  // any part of the name: "mlp.gate" also matches "mlp.gate_proj"
  kGlob,       // *, ? and [] anywhere; without these as kInside
  kAll,        // every linear layer
};

// An entry of a list of modules; "re:" begins a regular expression.
struct StorageRule {
  ModuleNaming naming = ModuleNaming::kAll;
  std::string text;                        // below the model: "layers.3.mlp"
  std::int64_t layer = -1;                 // the only layer that the rule can match; -1: any
  std::shared_ptr<const Pattern> pattern;  // null: `text` is compared
  Stored stored;
};

// The config's general storage, and its exceptions in the method's order of matching.
struct Quantization : Stored {
  bool given = false;              // false: no quantization_config
  bool head = false;               // lm_head is stored like linear layers
  std::vector<StorageRule> rules;  // the first that matches counts; none: the weight is bf16

  // How a module of a layer is stored, by any of its names ("self_attn.q_proj",
  // "self_attn.qkv_proj"). `steps` as in Pattern::Matches.
  Stored Of(std::span<const std::string> modules, std::int64_t layer, std::int64_t& steps) const;
};

// Published block-quantized checkpoints use blocks of 128x128.
inline constexpr std::int64_t kUsualBlock = 128;

// Parses an entry of a list. Error bad_pattern: the reason.
Result<StorageRule> RuleOf(ModuleNaming naming, const std::string& entry, const Stored& stored);

class ConfigFigures;

// The scheme of a weight, by each method's members.
Stored SchemeOfFp8(ConfigFigures& config);
// llm-compressor: a group of layers, by the bits of its weights and of their inputs.
Stored SchemeOfGroup(ConfigFigures& group);
// AMD Quark: the types of weights and inputs. No member "weight": the weight keeps its precision.
Stored SchemeOfQuark(ConfigFigures& layer);
// GPTQ, AWQ and AutoRound: only weights are integers. `general`: for absent members.
Stored SchemeOfIntegers(ConfigFigures& config, const Stored& general = {});
// ModelOpt: by the name of its algorithm, the value of `member`.
Stored SchemeOfAlgorithm(ConfigFigures& config, const std::string& member,
                         const std::string& algorithm);

// Reads a config.json's quantization_config. `config` collects wrong and unknown members.
Quantization ReadQuantization(ConfigFigures& config);

}  // namespace tunehub::core
