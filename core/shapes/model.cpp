#include "core/shapes/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

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

// One checkpoint of a model's file: its name, and how it stores the same weights.
Model ReadCheckpoint(JsonObject entry, json& quantization) {
  Model model;
  model.name = entry.Text("name");
  model.title = model.name.substr(model.name.find('/') + 1);
  model.source = entry.Text("source");
  if (model.source.empty()) entry.Fail("source", "must say where the checkpoint is");
  entry.Text("read");
  const json* const its = entry.Value("quantization_config");
  if (its == nullptr || !its->is_object()) {
    entry.Fail("quantization_config", "must say how the weights are stored");
  } else {
    quantization = *its;
  }
  entry.Finish();
  return model;
}

// A file of ours: names and sources, and a config for each checkpoint; the model's own comes first.
std::vector<std::pair<Model, json>> FileParts(const json& parsed, JsonErrors& errors) {
  JsonObject file(parsed, "", errors);
  Model model;
  model.name = file.Text("name");
  model.title = file.Text("title");
  model.source = file.Text("source");
  if (model.source.empty()) file.Fail("source", "must say where the figures are from");
  file.Text("read", "");
  file.Text("notes", "");
  file.Value("config");
  std::vector<std::pair<Model, json>> parts = {{std::move(model), parsed["config"]}};
  if (file.Has("checkpoints")) {
    for (JsonObject& entry : file.Objects("checkpoints")) {
      json config = parsed["config"], quantization;
      Model checkpoint = ReadCheckpoint(std::move(entry), quantization);
      if (config.contains("text_config")) config["text_config"].erase("quantization_config");
      config["quantization_config"] = std::move(quantization);
      parts.emplace_back(std::move(checkpoint), std::move(config));
    }
  }
  file.Finish();
  return parts;
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

// Fills `model` from its config. Error bad_model, with `place`.
Status ReadConfig(std::string_view place, const json& whole, Model& model) {
  const json config = LanguageModel(whole);
  ConfigFigures figures(config);
  ReadAttention(figures, model);
  ReadFeedForward(figures, model);
  if (config.contains("quantization_config") && config["quantization_config"].is_object()) {
    std::string complaint;
    model.quantization = ReadQuantization(config["quantization_config"], complaint);
    if (!complaint.empty()) figures.Complain(complaint);
  }
  const std::string complaint = figures.Complaint();
  if (complaint.empty()) return Ok();
  return Error{kBadModel, fmt::format("{}: {}", place, complaint)};
}

}  // namespace

Result<std::vector<Model>> ParseModelFile(std::string_view name, std::string_view json_text) {
  if (json_text.size() > kMaxConfigBytes) {
    return Error{kBadModel, fmt::format("{}: has {} bytes, a config.json at most {}", name,
                                        json_text.size(), kMaxConfigBytes)};
  }
  JsonErrors errors{std::string(name), kBadModel};
  const json parsed = ParseJson(json_text, errors);
  if (!errors.any() && !parsed.is_object()) errors.Add("", "must be a JSON object");
  if (errors.any()) return errors.first();
  std::vector<std::pair<Model, json>> parts;
  if (parsed.contains("config") && parsed["config"].is_object()) {
    parts = FileParts(parsed, errors);
    if (errors.any()) return errors.first();
  } else {
    parts.emplace_back(Model{}, parsed);
    parts.front().first.name = name;
  }
  std::vector<Model> models;
  for (auto& [model, config] : parts) {
    if (const Status read = ReadConfig(name, config, model); !read.ok()) return read.error();
    models.push_back(std::move(model));
  }
  return models;
}

Result<Model> ParseModel(std::string_view name, std::string_view json_text) {
  auto models = ParseModelFile(name, json_text);
  if (!models.ok()) return models.error();
  return std::move(models->front());
}

}  // namespace tunehub::core
