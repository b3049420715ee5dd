#define PCRE2_CODE_UNIT_WIDTH 8

#include "core/shapes/quantization.h"

#include <fmt/core.h>
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/shapes/config_figures.h"

namespace tunehub::core {
namespace {

constexpr std::size_t kMaxPattern = 4096;

template <auto Free>
struct FreeBy {
  void operator()(auto* it) const { Free(it); }
};

PCRE2_SPTR BytesOf(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

Error BadPattern(std::string_view shown, int code) {
  std::array<PCRE2_UCHAR, 128> why = {};
  pcre2_get_error_message(code, why.data(), why.size());
  return {"bad_pattern", fmt::format("'{}': expected a pattern: {}", Excerpt(shown),
                                     reinterpret_cast<const char*>(why.data()))};
}

// PCRE2 calls this function before it tries an item of a pattern.
int CountStep(pcre2_callout_block* /*block*/, void* steps) {
  return --*static_cast<std::int64_t*>(steps) < 0 ? PCRE2_ERROR_CALLOUT : 0;
}

using Json = nlohmann::ordered_json;

// Members in which methods list their unquantized modules.
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
      ModuleNaming naming;  // naming in the method's lists of unquantized modules
      Reading read;
    };
    static constexpr std::array<Method, 12> kMethods = {{
        {"fp8", ModuleNaming::kInside, &Reader::Fp8},
        {"fbgemm_fp8", ModuleNaming::kInside, &Reader::Fp8},
        {"mxfp4", ModuleNaming::kInside, &Reader::Mxfp4},
        {"bitsandbytes", ModuleNaming::kInside, &Reader::BitsAndBytes},
        {"awq", ModuleNaming::kSubstring, &Reader::IntegerWeights},
        {"gptq", ModuleNaming::kExact, &Reader::Gptq},
        {"auto-round", ModuleNaming::kExact, &Reader::AutoRound},
        {"compressed-tensors", ModuleNaming::kExact, &Reader::Groups},
        {"quark", ModuleNaming::kGlob, &Reader::Quark},
        {"modelopt", ModuleNaming::kGlob, &Reader::Modelopt},
        {"modelopt_fp4", ModuleNaming::kGlob, &Reader::Modelopt},
        {"modelopt_mixed", ModuleNaming::kGlob, &Reader::Modelopt},
    }};
    const std::string method = config_.Text("quant_method");
    const auto* const known = std::ranges::find(kMethods, method, &Method::name);
    if (known == kMethods.end()) {
      out_.scheme = method.empty() ? "unnamed" : std::string(Excerpt(method));
      out_.rules.push_back({ModuleNaming::kAll, "", -1, nullptr, out_});
      const bool none = method.empty();
      config_.Doubt("quant_method",
                    none ? " is missing" : fmt::format(" '{}' is an unknown method", out_.scheme));
      return;
    }
    naming_ = known->naming;
    // If the experts have their own algorithm, the lists contain the modules without that
    // algorithm. The method does quantize those modules.
    const bool of_experts = config_.Has("moe_quant_algo");
    for (const char* const list : kLists) Leave(list, of_experts ? nullptr : config_.List(list));
    (this->*known->read)();
    config_.NoteUnknown();
  }

 private:
  void Add(const std::string& member, ModuleNaming naming, const std::string& entry,
           const Stored& stored) {
    auto rule = RuleOf(naming, entry, stored);
    if (rule.ok()) {
      out_.rules.push_back(*std::move(rule));
    } else {
      config_.Doubt(member, ": " + rule.error().detail);
    }
  }

  void AddAll(const Stored& stored) {
    out_.rules.push_back({ModuleNaming::kAll, "", -1, nullptr, stored});
  }

  void General(const Stored& stored) {
    static_cast<Stored&>(out_) = stored;
    AddAll(stored);
  }

  // Adds the entries of a list of unquantized modules.
  void Leave(const char* member, const Json* entries) {
    config_.Find(member);
    for (const Json& entry : entries == nullptr ? Json::array() : *entries) {
      const std::string* const text = entry.get_ptr<const std::string*>();
      const std::string what =
          fmt::format("must contain only texts, but contains {}", Excerpt(entry.dump()));
      if (text == nullptr) return config_.Complain(member, what);
      Add(member, naming_, *text, {});
    }
  }

  void Fp8() {
    // In DeepSeek-V4's NVFP4 checkpoint, only experts have that scheme. Three more members repeat
    // the scheme.
    if (const std::string experts = config_.Text("moe_quant_algo"); !experts.empty()) {
      for (const char* const member : {"quant_algo", "config_groups", "quantized_layers"})
        config_.Find(member);
      Add("moe_quant_algo", ModuleNaming::kInside, "experts",
          SchemeOfAlgorithm(config_, "moe_quant_algo", experts));
    }
    General(SchemeOfFp8(config_));
  }

  void Mxfp4() {
    const Stored stored{std::string(kMxfp4)};
    Add("quant_method", ModuleNaming::kInside, "experts", stored);
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

  // Modules of positive patterns have other bits; modules of negative patterns are unquantized. The
  // first match in the file counts.
  void Gptq() {
    const Stored general = SchemeOfIntegers(config_);
    config_.ForEach("dynamic", [&](const std::string& pattern, ConfigFigures& its) {
      const bool leaves = pattern.starts_with("-:");
      const bool marked = leaves || pattern.starts_with("+:");
      Add("dynamic", ModuleNaming::kExact, "re:" + pattern.substr(marked ? 2 : 0),
          leaves ? Stored() : SchemeOfIntegers(its, general));
    });
    out_.head = config_.Flag("lm_head");
    General(general);
  }

  // Names precede patterns in any order. In SGLang, a pattern must match a whole name.
  void AutoRound() {
    if (const std::string type = config_.Text("data_type", "int"); type != "int") {
      config_.Doubt("data_type", fmt::format(" is '{}'", Excerpt(type)));
    }
    const Stored general = SchemeOfIntegers(config_);
    config_.ForEach("extra_config", [&](const std::string& name, ConfigFigures& its) {
      const bool pattern = name.find_first_of("*+?^$()[]{}|\\") != std::string::npos;
      Add("extra_config", ModuleNaming::kExact, pattern ? fmt::format("re:.*?(?:{})", name) : name,
          SchemeOfIntegers(its, general));
    });
    std::ranges::stable_partition(out_.rules, [](const auto& it) { return !it.pattern; });
    General(general);
  }

  // Adds the modules of a group. Returns true if the group contains every linear layer.
  bool AddTargets(ConfigFigures& group, const Stored& stored) {
    const Json* const targets = group.List("targets");
    bool all = targets == nullptr;
    for (const Json& target : all ? Json::array() : *targets) {
      const std::string text = target.is_string() ? target.get<std::string>() : "";
      if (text.empty()) {
        group.Complain("targets", fmt::format("must contain only texts, but contains {}",
                                              Excerpt(target.dump())));
      } else if (text == "Linear" || text == "torch.nn.Linear") {
        all = true;
      } else {
        Add("config_groups", naming_, text, stored);
      }
    }
    return all;
  }

  // The names of all groups precede the classes of any group.
  void Groups() {
    std::vector<Stored> classes;
    const auto read = [&](const std::string& /*name*/, ConfigFigures& group) {
      const Stored stored = SchemeOfGroup(group);
      if (out_.scheme == kBf16) static_cast<Stored&>(out_) = stored;
      if (AddTargets(group, stored)) classes.push_back(stored);
    };
    const bool given = config_.ForEach("config_groups", read);
    if (!given) {
      if (out_.scheme == kBf16) out_.scheme = config_.Text("quant_method");
      config_.Doubt("config_groups", " is missing");
    }
    if (!config_.Object("sparsity_config").empty()) config_.Doubt("sparsity_config", " is given");
    for (const Stored& it : classes) AddAll(it);
  }

  void Quark() {
    config_.ForEach("layer_quant_config", [&](const std::string& name, ConfigFigures& its) {
      Add("layer_quant_config", ModuleNaming::kGlob, name, SchemeOfQuark(its));
    });
    config_.ForEach("layer_type_quant_config", [&](const std::string& name, ConfigFigures& its) {
      const Stored stored = SchemeOfQuark(its);
      if (name == "Linear" || name == "nn.Linear") AddAll(stored);
    });
    ConfigFigures global = config_.Object("global_quant_config");
    General(SchemeOfQuark(global));
    global.NoteUnknown();
  }

  void Modelopt() {
    const std::string algorithm = config_.Text("quant_algo");
    const bool general = algorithm == "NVFP4" || algorithm == "FP8";
    const auto layer = [&](const std::string& name, ConfigFigures& its) {
      const Stored stored = SchemeOfAlgorithm(its, "quant_algo", its.Text("quant_algo"));
      if (out_.scheme == kBf16) static_cast<Stored&>(out_) = stored;
      Add("quantized_layers", ModuleNaming::kGlob, name, stored);
    };
    const bool listed = !general && config_.ForEach("quantized_layers", layer);
    if (!listed && (algorithm.empty() || algorithm == "MIXED_PRECISION")) return Groups();
    if (!listed) General(SchemeOfAlgorithm(config_, "quant_algo", algorithm));
    // These members repeat the algorithm; one uses compressed-tensors' words.
    for (const char* const same : {"quantized_layers", "config_groups"}) config_.Find(same);
  }

  ConfigFigures& config_;
  Quantization& out_;
  ModuleNaming naming_ = ModuleNaming::kExact;  // in the method's lists
};

}  // namespace

Result<Pattern> Pattern::Compile(std::string_view shown, std::string_view regex, unsigned options) {
  if (shown.size() > kMaxPattern) return BadPattern(shown, PCRE2_ERROR_PATTERN_STRING_TOO_LONG);
  constexpr unsigned kAlways =
      PCRE2_AUTO_CALLOUT | PCRE2_NEVER_BACKSLASH_C | PCRE2_NEVER_UTF | PCRE2_NEVER_UCP;
  int error = 0;
  std::size_t at = 0;
  pcre2_code* const code =
      pcre2_compile(BytesOf(regex), regex.size(), kAlways | options, &error, &at, nullptr);
  if (code == nullptr) return BadPattern(shown, error);
  return Pattern(Code(code, FreeBy<pcre2_code_free>()));
}

Result<Pattern> Pattern::Regex(std::string_view text) {
  return Compile(text, text, PCRE2_ANCHORED);
}

Result<Pattern> Pattern::Glob(std::string_view text) {
  constexpr unsigned kOptions =
      PCRE2_CONVERT_GLOB_NO_WILD_SEPARATOR | PCRE2_CONVERT_GLOB_NO_STARSTAR;
  PCRE2_UCHAR* regex = nullptr;
  std::size_t size = 0;
  const int code =
      pcre2_pattern_convert(BytesOf(text), text.size(), kOptions, &regex, &size, nullptr);
  if (code != 0) return BadPattern(text, code);
  const std::unique_ptr<PCRE2_UCHAR, FreeBy<pcre2_converted_pattern_free>> held(regex);
  return Compile(text, {reinterpret_cast<const char*>(regex), size}, 0);
}

bool Pattern::Matches(std::string_view text, std::int64_t& steps) const {
  const std::unique_ptr<pcre2_match_data, FreeBy<pcre2_match_data_free>> data(
      pcre2_match_data_create_from_pattern(code_.get(), nullptr));
  const std::unique_ptr<pcre2_match_context, FreeBy<pcre2_match_context_free>> limits(
      pcre2_match_context_create(nullptr));
  pcre2_set_callout(limits.get(), CountStep, &steps);
  const int found =
      pcre2_match(code_.get(), BytesOf(text), text.size(), 0, 0, data.get(), limits.get());
  if (found < 0 && found != PCRE2_ERROR_NOMATCH) steps = -1;
  return found >= 0;
}

Quantization ReadQuantization(ConfigFigures& config) {
  Quantization out;
  out.given = true;
  Reader(config, out).Read();
  return out;
}

}  // namespace tunehub::core
