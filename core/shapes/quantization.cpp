#include "core/shapes/quantization.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/excerpt.h"
#include "core/shapes/config_figures.h"
#include "core/shapes/storage_rule.h"
#include "core/shapes/storage_scheme.h"

namespace tunehub::core {
namespace {

using Json = nlohmann::ordered_json;

// Where methods list what they leave alone.
constexpr std::array<const char*, 7> kLists = {
    "modules_to_not_convert", "ignored_layers",       "ignore", "exclude", "exclude_modules",
    "exclude_layers",         "llm_int8_skip_modules"};

class Reader {
 public:
  Reader(ConfigFigures& config, Quantization& out) : config_(config), out_(out) {}

  void Read() {
    using Reading = void (Reader::*)();
    struct Method {
      std::string_view name;
      Naming naming;  // of the modules that it leaves alone
      Reading read;
    };
    static constexpr std::array<Method, 12> kMethods = {{
        {"fp8", Naming::kInside, &Reader::Fp8},
        {"fbgemm_fp8", Naming::kInside, &Reader::Fp8},
        {"mxfp4", Naming::kInside, &Reader::Mxfp4},
        {"bitsandbytes", Naming::kInside, &Reader::BitsAndBytes},
        {"awq", Naming::kSubstring, &Reader::IntegerWeights},
        {"gptq", Naming::kExact, &Reader::Gptq},
        {"auto-round", Naming::kExact, &Reader::AutoRound},
        {"compressed-tensors", Naming::kExact, &Reader::Groups},
        {"quark", Naming::kGlob, &Reader::Quark},
        {"modelopt", Naming::kGlob, &Reader::Modelopt},
        {"modelopt_fp4", Naming::kGlob, &Reader::Modelopt},
        {"modelopt_mixed", Naming::kGlob, &Reader::Modelopt},
    }};
    const std::string method = config_.Text("quant_method");
    const auto* const known = std::ranges::find(kMethods, method, &Method::name);
    if (known == kMethods.end()) {
      out_.scheme = method.empty() ? "unnamed" : std::string(Excerpt(method));
      out_.rules.push_back({Naming::kAll, "", -1, nullptr, out_});
      const bool none = method.empty();
      config_.Doubt("quant_method",
                    none ? " is missing" : fmt::format(" '{}' is no known method", out_.scheme));
      return;
    }
    naming_ = known->naming;
    // Beside an algorithm of its experts a checkpoint lists what that one leaves to the method.
    const bool of_experts = config_.Has("moe_quant_algo");
    for (const char* const list : kLists) {
      if (!of_experts) Each(list);
      config_.Find(list);
    }
    (this->*known->read)();
    config_.NoteUnknown(HarmlessStorageMembers());
  }

 private:
  void Add(const std::string& member, Naming naming, const std::string& entry,
           const Stored& stored) {
    auto rule = RuleOf(naming, entry, stored);
    if (rule.ok()) {
      out_.rules.push_back(*std::move(rule));
    } else {
      config_.Doubt(member, ": " + rule.error().detail);
    }
  }

  void AddAll(const Stored& stored) {
    out_.rules.push_back({Naming::kAll, "", -1, nullptr, stored});
  }

  void General(const Stored& stored) {
    static_cast<Stored&>(out_) = stored;
    AddAll(stored);
  }

  void Each(const char* member) {
    const Json* const entries = config_.List(member);
    if (entries == nullptr) return;
    for (const Json& entry : *entries) {
      if (entry.is_string()) {
        Add(member, naming_, entry.get<std::string>(), {});
      } else {
        config_.Complain(member, fmt::format("must hold texts, not {}", Excerpt(entry.dump())));
        return;
      }
    }
  }

  void Fp8() {
    // DeepSeek-V4 in NVFP4 has only its experts in it, and says so in three ways.
    if (const std::string experts = config_.Text("moe_quant_algo"); !experts.empty()) {
      for (const char* const member : {"quant_algo", "config_groups", "quantized_layers"})
        config_.Find(member);
      Add("moe_quant_algo", Naming::kInside, "experts",
          SchemeOfAlgorithm(config_, "moe_quant_algo", experts));
    }
    General(SchemeOfFp8(config_));
  }

  void Mxfp4() {
    const Stored stored{std::string(kMxfp4)};
    Add("quant_method", Naming::kInside, "experts", stored);
    static_cast<Stored&>(out_) = stored;
  }

  void BitsAndBytes() {
    General({config_.Flag("load_in_8bit") ? "bitsandbytes 8 bits" : "bitsandbytes 4 bits"});
    config_.Flag("load_in_4bit");
  }

  void IntegerWeights() {
    out_.head = config_.Flag("lm_head");
    General(SchemeOfIntegers(config_));
  }

  // Positive patterns give other bits, negative ones none; the first in the file counts.
  void Gptq() {
    const Stored general = SchemeOfIntegers(config_);
    if (const Json* const blocks = config_.List("modules_in_block_to_quantize")) {
      for (const Json& block : *blocks) {
        for (const Json& it : block) {
          if (it.is_string()) Add("modules_in_block_to_quantize", Naming::kInside, it, general);
        }
      }
      static_cast<Stored&>(out_) = general;
      return;
    }
    const Json* const dynamic = config_.Find("dynamic");
    ConfigFigures patterns = config_.Object("dynamic");
    if (dynamic != nullptr && dynamic->is_object()) {
      for (const auto& [pattern, value] : dynamic->items()) {
        const bool leaves = pattern.starts_with("-:");
        const bool marked = leaves || pattern.starts_with("+:");
        const std::string regex = "re:" + pattern.substr(marked ? 2 : 0);
        ConfigFigures its = patterns.Object(pattern);
        Add("dynamic", Naming::kExact, regex, leaves ? Stored() : SchemeOfIntegers(its, general));
        its.NoteUnknown(HarmlessStorageMembers());
      }
    }
    out_.head = config_.Flag("lm_head");
    General(general);
  }

  void AutoRound() {
    if (const std::string type = config_.Text("data_type", "int"); type != "int") {
      config_.Doubt("data_type", fmt::format(" is '{}'", Excerpt(type)));
    }
    const Stored general = SchemeOfIntegers(config_);
    const Json* const extra = config_.Find("extra_config");
    ConfigFigures modules = config_.Object("extra_config");
    if (extra != nullptr && extra->is_object()) {
      for (const auto& [name, value] : extra->items()) {
        ConfigFigures its = modules.Object(name);
        const bool regex = name.find_first_of("*\\^$|(") != std::string::npos;
        Add("extra_config", Naming::kExact, (regex ? "re:" : "") + name,
            SchemeOfIntegers(its, general));
        its.NoteUnknown(HarmlessStorageMembers());
      }
    }
    General(general);
  }

  // Names of all groups come before classes, whichever group they are of.
  void Groups() {
    const Json* const groups = config_.Find("config_groups");
    if (groups == nullptr || !groups->is_object() || groups->empty()) {
      config_.Object("config_groups");
      if (out_.scheme == kBf16) out_.scheme = config_.Text("quant_method");
      config_.Doubt("config_groups", " is missing");
      return;
    }
    ConfigFigures all = config_.Object("config_groups");
    std::vector<Stored> classes;
    for (const auto& [name, value] : groups->items()) {
      ConfigFigures group = all.Object(name);
      const Stored stored = SchemeOfGroup(group);
      if (out_.scheme == kBf16) static_cast<Stored&>(out_) = stored;
      const Json* const targets = group.List("targets");
      if (targets == nullptr) classes.push_back(stored);
      for (const Json& target : targets == nullptr ? Json::array() : *targets) {
        const std::string text = target.is_string() ? target.get<std::string>() : "";
        if (text == "Linear" || text == "torch.nn.Linear") {
          classes.push_back(stored);
        } else if (text.empty()) {
          group.Complain("targets", fmt::format("must hold texts, not {}", Excerpt(target.dump())));
        } else {
          Add("config_groups", naming_, text, stored);
        }
      }
      group.NoteUnknown(HarmlessStorageMembers());
    }
    if (!config_.Object("sparsity_config").empty()) config_.Doubt("sparsity_config", " is given");
    for (const Stored& it : classes) AddAll(it);
  }

  void Quark() {
    const Json* const layers = config_.Find("layer_quant_config");
    ConfigFigures modules = config_.Object("layer_quant_config");
    if (layers != nullptr && layers->is_object()) {
      for (const auto& [name, value] : layers->items()) {
        ConfigFigures its = modules.Object(name);
        Add("layer_quant_config", Naming::kGlob, name, SchemeOfQuark(its));
      }
    }
    const Json* const types = config_.Find("layer_type_quant_config");
    ConfigFigures by_type = config_.Object("layer_type_quant_config");
    if (types != nullptr && types->is_object()) {
      for (const auto& [name, value] : types->items()) {
        ConfigFigures its = by_type.Object(name);
        if (name == "Linear" || name == "nn.Linear") AddAll(SchemeOfQuark(its));
      }
    }
    ConfigFigures global = config_.Object("global_quant_config");
    General(SchemeOfQuark(global));
  }

  void Modelopt() {
    const std::string algorithm = config_.Text("quant_algo");
    const Json* const layers = config_.Find("quantized_layers");
    ConfigFigures modules = config_.Object("quantized_layers");
    const bool listed = layers != nullptr && layers->is_object() && !layers->empty();
    if (listed && algorithm != "NVFP4" && algorithm != "FP8") {
      for (const auto& [name, value] : layers->items()) {
        ConfigFigures its = modules.Object(name);
        const Stored stored = SchemeOfAlgorithm(its, "quant_algo", its.Text("quant_algo"));
        if (out_.scheme == kBf16) static_cast<Stored&>(out_) = stored;
        Add("quantized_layers", Naming::kGlob, name, stored);
        its.NoteUnknown(HarmlessStorageMembers());
      }
    } else if (algorithm.empty() || algorithm == "MIXED_PRECISION") {
      Groups();
      return;
    } else {
      General(SchemeOfAlgorithm(config_, "quant_algo", algorithm));
    }
    // The same once more, in the words of compressed-tensors.
    config_.Find("config_groups");
  }

  ConfigFigures& config_;
  Quantization& out_;
  Naming naming_ = Naming::kExact;  // of the modules that the method lists
};

}  // namespace

Quantization ReadQuantization(ConfigFigures& config) {
  Quantization out;
  out.given = true;
  Reader(config, out).Read();
  return out;
}

}  // namespace tunehub::core
