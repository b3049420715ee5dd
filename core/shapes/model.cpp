#include "core/shapes/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/json_object.h"
#include "core/shapes/config_figures.h"
#include "core/shapes/model_layers.h"

namespace tunehub::core {
namespace {

using nlohmann::json;

constexpr char kBadModel[] = "bad_model";
// Where a bias is, by how model_type begins: what its config.json leaves to the architecture.
struct Bias {
  std::string_view model_type;
  bool qkv, o, router;  // where attention_bias says so, or
  bool always;          // whatever it says
};

constexpr std::array<Bias, 4> kBiases = {{{"gpt_oss", true, true, true, false},
                                          {"glm4_moe", true, false, false, false},
                                          {"qwen2", true, false, false, true},
                                          {"", true, true, false, false}}};

void ReadBias(const ConfigFigures& figures, Model& model) {
  const std::string type = figures.Text({"model_type"}, "");
  const auto bias = std::ranges::find_if(
      kBiases, [&](const Bias& it) { return type.starts_with(it.model_type); });
  const bool has = bias->always || figures.Flag("attention_bias");
  model.qkv_bias = has && bias->qkv;
  model.o_bias = has && bias->o;
  model.router_bias = has && bias->router;
}

void ReadAttention(ConfigFigures& figures, Model& model) {
  model.hidden = figures.Required({"hidden_size"});
  model.vocab = figures.Optional({"vocab_size"}, 0);
  model.heads = figures.Required({"num_attention_heads"});
  if (figures.Has("kv_lora_rank")) {
    model.kv_lora = figures.Required({"kv_lora_rank"});
    model.q_lora = figures.Optional({"q_lora_rank"}, 0);
    model.nope_dim = figures.Required({"qk_nope_head_dim"});
    model.rope_dim = figures.Required({"qk_rope_head_dim"});
    model.v_dim = figures.Required({"v_head_dim"});
    model.index_heads = figures.Optional({"index_n_heads"}, 0);
    model.index_dim = figures.Optional({"index_head_dim"}, 0);
    return;
  }
  // As Hugging Face's own configuration classes have it where the members are left out.
  model.kv_heads = figures.Optional({"num_key_value_heads"}, model.heads);
  model.head_dim =
      figures.Optional({"head_dim"}, model.heads == 0 ? 0 : model.hidden / model.heads);
  model.output_gate = figures.Flag("attn_output_gate");
  // Qwen3-Next has the gate in its code alone.
  if (figures.Text({"model_type"}, "") == "qwen3_next") model.output_gate = true;
  ReadBias(figures, model);
  if (!figures.Has("linear_num_value_heads")) return;
  model.linear_value_heads = figures.Required({"linear_num_value_heads"});
  model.linear_key_heads = figures.Required({"linear_num_key_heads"});
  model.linear_key_dim = figures.Required({"linear_key_head_dim"});
  model.linear_value_dim = figures.Required({"linear_value_head_dim"});
}

// Llama 4 calls the width of experts intermediate_size, that of dense layers intermediate_size_mlp,
// and has one shared expert without saying so.
bool IsLlama4(const ConfigFigures& figures) {
  return figures.Has("intermediate_size_mlp");
}

void ReadExperts(ConfigFigures& figures, Model& model) {
  model.topk = figures.Required({"num_experts_per_tok", "moe_topk", "num_experts_per_token"});
  model.moe_intermediate = figures.Required({"moe_intermediate_size", "intermediate_size"});
  const std::int64_t shared = IsLlama4(figures) ? 1 : 0;
  model.shared_experts = figures.Optional({"n_shared_experts", "num_shared_experts"}, shared);
  model.shared_intermediate =
      figures.Optional({"shared_expert_intermediate_size", "shared_intermediate_size"},
                       model.shared_experts * model.moe_intermediate);
}

void ReadFeedForward(ConfigFigures& figures, Model& model) {
  model.activation = figures.Text({"hidden_act", "hidden_activation"}, "silu");
  // GPT-OSS says silu and has a clamped SwiGLU of its own.
  if (figures.Text({"model_type"}, "") == "gpt_oss") model.activation = "swigluoai";
  model.experts = figures.Optional({"num_experts", "n_routed_experts", "num_local_experts"}, 0);
  if (model.experts > 0) ReadExperts(figures, model);
  ReadLayers(figures, model);
  // A config names intermediate_size even where no layer is dense.
  if (!HasDenseLayers(figures, model)) return;
  model.intermediate =
      figures.Required({IsLlama4(figures) ? "intermediate_size_mlp" : "intermediate_size"});
}

// A file of ours: its name, and the config in it.
json ConfigOf(const json& parsed, JsonErrors& errors, Model& model) {
  JsonObject file(parsed, "", errors);
  model.name = file.Text("name");
  model.title = file.Text("title");
  model.source = file.Text("source");
  if (model.source.empty()) file.Fail("source", "must say where the figures are from");
  file.Text("read", "");
  file.Text("notes", "");
  file.Value("config");
  file.Finish();
  return parsed["config"];
}

// What counts of a config: the language model's part, with the quantization of the whole.
json LanguageModel(const json& config) {
  if (!config.contains("text_config") || !config["text_config"].is_object()) return config;
  json text = config["text_config"];
  if (!text.contains("quantization_config") && config.contains("quantization_config")) {
    text["quantization_config"] = config["quantization_config"];
  }
  return text;
}

bool IsPath(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".json");
}

std::optional<std::string> ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) return std::nullopt;
  return text;
}

}  // namespace

Result<Model> ParseModel(std::string_view name, std::string_view json_text) {
  if (json_text.size() > kMaxConfigBytes) {
    return Error{kBadModel, fmt::format("{}: has {} bytes, a config.json at most {}", name,
                                        json_text.size(), kMaxConfigBytes)};
  }
  JsonErrors errors{std::string(name), kBadModel};
  const json parsed = ParseJson(json_text, errors);
  if (!errors.any() && !parsed.is_object()) errors.Add("", "must be a JSON object");
  if (errors.any()) return errors.first();
  Model model;
  model.name = name;
  json config = parsed;
  if (parsed.contains("config") && parsed["config"].is_object()) {
    config = ConfigOf(parsed, errors, model);
    if (errors.any()) return errors.first();
  }
  config = LanguageModel(config);
  ConfigFigures figures(config);
  ReadAttention(figures, model);
  ReadFeedForward(figures, model);
  if (config.contains("quantization_config") && config["quantization_config"].is_object()) {
    std::string complaint;
    model.quantization = ReadQuantization(config["quantization_config"], complaint);
    if (!complaint.empty()) figures.Complain(complaint);
  }
  if (const std::string complaint = figures.Complaint(); !complaint.empty()) {
    return Error{kBadModel, std::string(name) + ": " + complaint};
  }
  return model;
}

std::vector<std::string> ModelNames(const TextFolder& folder) {
  const Result<std::vector<std::string>> files = folder.Names();
  std::vector<std::string> names;
  if (!files.ok()) return names;
  for (const std::string& file : *files) names.push_back(file.substr(0, file.rfind('.')));
  std::ranges::sort(names);
  return names;
}

Result<Model> LoadModel(const TextFolder& folder, const std::string& name) {
  std::error_code error;
  const std::string file = name + ".json";
  const bool is_folder = std::filesystem::is_directory(name, error);
  if (IsPath(name) || (is_folder && !folder.Read(file))) {
    const std::string path =
        is_folder ? (std::filesystem::path(name) / "config.json").string() : name;
    const std::optional<std::string> text = ReadFile(path);
    if (text) return ParseModel(path, *text);
    return Error{"unknown_model", path + ": cannot be read"};
  }
  if (const std::optional<std::string> text = folder.Read(file)) {
    return ParseModel(folder.PlaceOf(file), *text);
  }
  return Error{"unknown_model", fmt::format("there is no model '{}' in {}, only {}", name,
                                            folder.place(), fmt::join(ModelNames(folder), ", "))};
}

}  // namespace tunehub::core
