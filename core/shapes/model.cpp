#include "core/shapes/model.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/read_json.h"
#include "core/base/text.h"
#include "core/shapes/config_figures.h"

namespace tunehub::core {
namespace {

using nlohmann::json;

constexpr char kBadModel[] = "bad_model";
using OrderedJson = nlohmann::ordered_json;

void ReadAttention(ConfigFigures& figures, const Architecture& architecture, Model& model) {
  model.hidden = figures.Required("hidden_size");
  model.mlp_bias = figures.Flag("mlp_bias");
  model.vocab = figures.Optional("vocab_size", 0);
  model.heads = figures.Required("num_attention_heads");
  if (architecture.Has("indexer")) {
    model.index_heads = figures.Optional("index_n_heads", 0);
    model.index_dim = figures.Optional("index_head_dim", 0);
  }
  if (architecture.Has("latent")) {
    model.kv_lora = figures.Required("kv_lora_rank");
    model.q_lora = figures.Optional("q_lora_rank", 0);
    model.nope_dim = figures.Required("qk_nope_head_dim");
    model.rope_dim = figures.Required("qk_rope_head_dim");
    model.v_dim = figures.Required("v_head_dim");
    return;
  }
  if (architecture.Has("compressed")) {
    model.q_lora = figures.Required("q_lora_rank");
    model.head_dim = figures.Required("head_dim");
    model.o_groups = figures.Required("o_groups");
    model.o_lora = figures.Required("o_lora_rank");
    return;
  }
  // Hugging Face's configuration classes have these defaults.
  model.kv_heads = figures.Optional("num_key_value_heads", model.heads);
  model.head_dim = figures.Optional("head_dim", model.heads == 0 ? 0 : model.hidden / model.heads);
  model.output_gate = figures.Flag("attn_output_gate");
  model.qkv_bias = figures.Flag("attention_bias");
  model.o_bias = figures.Flag("o_bias");
  if (architecture.Has("wide")) {
    model.wide_head_dim = figures.Optional("global_head_dim", model.head_dim);
    // Wide layers use the same heads as keys and values. Engines keep a projection for each of the
    // two.
    const std::int64_t wide = figures.Optional("num_global_key_value_heads", model.kv_heads);
    model.wide_kv_heads = figures.Flag("attention_k_eq_v") ? wide : model.kv_heads;
  }
  if (!architecture.Has("linear")) return;
  model.linear_value_heads = figures.Required("linear_num_value_heads");
  model.linear_key_heads = figures.Required("linear_num_key_heads");
  model.linear_key_dim = figures.Required("linear_key_head_dim");
  model.linear_value_dim = figures.Required("linear_value_head_dim");
}

void ReadExperts(ConfigFigures& figures, const Architecture& architecture, Model& model) {
  if (!architecture.Has("experts") && !figures.Flag("enable_moe_block")) return;
  model.experts = figures.Required("num_experts");
  model.topk = figures.Required("num_experts_per_tok");
  model.moe_intermediate = figures.Required("moe_intermediate_size");
  model.router_bias = figures.Flag("router_bias");
  if (!architecture.Has("shared")) return;
  model.shared_experts = figures.Optional("n_shared_experts", 0);
  model.shared_intermediate = figures.Optional("shared_expert_intermediate_size",
                                               model.shared_experts * model.moe_intermediate);
}

// Adds a note for each member whose value differs from the only known value.
void NoteOnly(ConfigFigures& figures, const Architecture& architecture) {
  for (const auto& [member, known] : architecture.only.items()) {
    const OrderedJson* const value = figures.Find(member);
    if (value == nullptr || *value == known) continue;
    figures.remarks().notes.push_back(
        fmt::format("{} is {}, for which the computation of the layers is unknown",
                    figures.PathOf(member), Excerpt(value->dump())));
  }
}

void ReadStorage(ConfigFigures& figures, ConfigFigures& whole, Model& model) {
  ConfigFigures inner = figures.Object("quantization_config");
  ConfigFigures outer = whole.Object("quantization_config");
  ConfigFigures& config = inner.empty() ? outer : inner;
  if (!config.empty()) model.quantization = ReadQuantization(config);
  // In DeepSeek-V4, experts have another type than the other layers.
  const std::string experts = figures.Text("expert_dtype");
  if (experts.empty() || config.empty() || experts.starts_with("fp8")) return;
  if (experts != "fp4") figures.Doubt("expert_dtype", fmt::format(" is '{}'", Excerpt(experts)));
  const Stored stored{std::string(experts == "fp4" ? kMxfp4 : "unknown")};
  auto& rules = model.quantization.rules;
  // The method's own rules for experts precede this rule.
  rules.insert(rules.end() - 1, *RuleOf(ModuleNaming::kInside, "experts", stored));
}

// A checkpoint in a model's file: its name, and how it stores the same weights.
Model ReadCheckpoint(JsonObject entry) {
  Model model;
  model.name = entry.Text("name");
  model.title = model.name.substr(model.name.find('/') + 1);
  model.source = entry.Text("source");
  if (model.source.empty()) entry.Fail("source", "must be the location of the checkpoint");
  entry.Text("read");
  const json* const its = entry.Value("quantization_config");
  if (its == nullptr || !its->is_object()) {
    entry.Fail("quantization_config", "must be the storage of the weights");
  }
  entry.Finish();
  return model;
}

using Part = std::pair<Model, OrderedJson>;

// Splits a file of configs/models into the model and each checkpoint, each with its config.
// `ordered` keeps the order of a quantization_config's groups, because the order matters.
std::vector<Part> FileParts(const json& parsed, const OrderedJson& ordered, JsonErrors& errors) {
  JsonObject file(parsed, "", errors);
  Model model;
  model.name = file.Text("name");
  model.title = file.Text("title");
  model.source = file.Text("source");
  if (model.source.empty()) file.Fail("source", "must be the source of the figures");
  file.Text("read", "");
  file.Text("notes", "");
  file.Value("config");
  std::vector<Part> parts = {{std::move(model), ordered["config"]}};
  for (JsonObject& entry : file.OptionalObjects("checkpoints")) {
    OrderedJson config = ordered["config"];
    const OrderedJson& its = ordered["checkpoints"][parts.size() - 1];
    if (config.contains("text_config")) config["text_config"].erase("quantization_config");
    if (its.contains("quantization_config"))
      config["quantization_config"] = its["quantization_config"];
    parts.emplace_back(ReadCheckpoint(std::move(entry)), std::move(config));
  }
  file.Finish();
  return parts;
}

// The member that contains a multimodal model's language model; null: none.
const char* LanguageModelOf(const OrderedJson& config) {
  for (const char* member : {"text_config", "llm_config"}) {
    if (config.contains(member) && config[member].is_object()) return member;
  }
  return nullptr;
}

// Fills `model` from its config. Errors: bad_model, with `place`.
Status ReadConfig(std::string_view place, const OrderedJson& config, Model& model) {
  ConfigRemarks remarks;
  const char* const inner = LanguageModelOf(config);
  const OrderedJson& text = inner == nullptr ? config : config[inner];
  const std::string path = inner == nullptr ? "" : std::string(inner) + ".";
  std::string type = ConfigFigures(text, path, remarks).Text("model_type");
  if (type.empty()) type = ConfigFigures(config, "", remarks).Text("model_type");
  const Architecture* const architecture = FindArchitecture(type);
  if (type.empty() && remarks.wrong.empty()) remarks.missing = path + "model_type";
  if (architecture == nullptr) {
    if (!type.empty())
      remarks.Complain(
          fmt::format("{}model_type '{}' is an unknown architecture", path, Excerpt(type)));
    return Error{kBadModel, fmt::format("{}: {}", place, remarks.Complaint())};
  }
  ConfigFigures whole(config, "", remarks, architecture),
      figures(text, path, remarks, architecture);
  ReadAttention(figures, *architecture, model);
  ReadExperts(figures, *architecture, model);
  model.activation = figures.Text("hidden_act", "silu");
  figures.Find("num_key_value_heads");
  ReadStorage(figures, whole, model);
  ReadLayers(figures, *architecture, model);
  NoteOnly(figures, *architecture);
  figures.NoteUnknown(architecture->harmless);
  if (inner != nullptr) {
    whole.Find(inner);
    whole.NoteUnknown(architecture->harmless);
  }
  if (const std::string complaint = remarks.Complaint(); !complaint.empty())
    return Error{kBadModel, fmt::format("{}: {}", place, complaint)};
  model.notes = std::move(remarks.notes);
  model.doubts = std::move(remarks.doubts);
  return Ok();
}

}  // namespace

Result<std::vector<Model>> ParseModelFile(std::string_view name, std::string_view json_text) {
  if (json_text.size() > kMaxConfigBytes) {
    return Error{kBadModel, fmt::format("{}: has {} bytes; a config.json may have at most {}", name,
                                        json_text.size(), kMaxConfigBytes)};
  }
  JsonErrors errors{std::string(name), kBadModel};
  const json parsed = ParseJson(json_text, errors);
  if (!errors.any() && !parsed.is_object()) errors.Add("", "must be a JSON object");
  if (errors.any()) return errors.first();
  const OrderedJson ordered = SureJsonAs<OrderedJson>(json_text);
  std::vector<Part> parts;
  if (parsed.contains("config") && parsed["config"].is_object()) {
    parts = FileParts(parsed, ordered, errors);
    if (errors.any()) return errors.first();
  } else {
    parts.emplace_back(Model{}, ordered);
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
