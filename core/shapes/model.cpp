#include "core/shapes/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/json_object.h"

namespace tunehub::core {
namespace {

using nlohmann::json;

constexpr char kBadModel[] = "bad_model";
// Larger than any dimension of a model, small enough that no product of two overflows.
constexpr std::int64_t kMaxFigure = 100'000'000;

// The members of a config, each asked for by the names it has in different architectures. What is
// missing or wrong is remembered, all of it, for one message.
class Figures {
 public:
  explicit Figures(const json& config) : config_(config) {}

  bool Has(const char* member) const {
    return config_.contains(member) && !config_[member].is_null();
  }
  std::int64_t Required(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (Has(name)) return Positive(name);
    }
    missing_ += (missing_.empty() ? "" : ", ") + std::string(*names.begin());
    return 0;
  }
  std::int64_t Optional(std::initializer_list<const char*> names, std::int64_t fallback) {
    for (const char* name : names) {
      if (Has(name)) return Natural(name);
    }
    return fallback;
  }
  bool Flag(const char* name) const {
    return Has(name) && config_[name].is_boolean() && config_[name].get<bool>();
  }
  std::string Text(const char* name, const char* fallback) const {
    return Has(name) && config_[name].is_string() ? config_[name].get<std::string>() : fallback;
  }
  bool NotEmpty(const char* name) const {
    return Has(name) && config_[name].is_array() && !config_[name].empty();
  }
  // "" where everything was there.
  std::string Complaint() const {
    if (missing_.empty()) return wrong_;
    return fmt::format("lacks {}{}", missing_, wrong_.empty() ? "" : "; " + wrong_);
  }

 private:
  std::int64_t Natural(const char* name) {
    const json& value = config_[name];
    if (value.is_number_integer()) {
      const auto number = value.get<std::int64_t>();
      if (number >= 0 && number <= kMaxFigure) return number;
    }
    wrong_ += fmt::format("{}{} must be a whole number up to {}, not {}",
                          wrong_.empty() ? "" : "; ", name, kMaxFigure, value.dump().substr(0, 60));
    return 0;
  }
  std::int64_t Positive(const char* name) {
    const std::string before = wrong_;
    const std::int64_t value = Natural(name);
    if (value == 0 && wrong_ == before) {
      wrong_ += fmt::format("{}{} must not be 0", wrong_.empty() ? "" : "; ", name);
    }
    return value;
  }

  const json& config_;
  std::string missing_, wrong_;
};

void ReadAttention(Figures& figures, Model& model) {
  model.hidden = figures.Required({"hidden_size"});
  model.heads = figures.Required({"num_attention_heads"});
  if (figures.Has("kv_lora_rank")) {
    model.kv_lora = figures.Required({"kv_lora_rank"});
    model.q_lora = figures.Optional({"q_lora_rank"}, 0);
    model.nope_dim = figures.Required({"qk_nope_head_dim"});
    model.rope_dim = figures.Required({"qk_rope_head_dim"});
    model.v_dim = figures.Required({"v_head_dim"});
    return;
  }
  // As Hugging Face's own configuration classes have it where the members are left out.
  model.kv_heads = figures.Optional({"num_key_value_heads"}, model.heads);
  model.head_dim =
      figures.Optional({"head_dim"}, model.heads == 0 ? 0 : model.hidden / model.heads);
  model.output_gate = figures.Flag("attn_output_gate");
  if (!figures.Has("linear_num_value_heads")) return;
  model.linear_value_heads = figures.Required({"linear_num_value_heads"});
  model.linear_key_heads = figures.Required({"linear_num_key_heads"});
  model.linear_key_dim = figures.Required({"linear_key_head_dim"});
  model.linear_value_dim = figures.Required({"linear_value_head_dim"});
}

void ReadFeedForward(Figures& figures, Model& model) {
  model.activation = figures.Text("hidden_act", "silu");
  model.experts = figures.Optional({"num_experts", "n_routed_experts", "num_local_experts"}, 0);
  if (model.experts == 0) {
    model.intermediate = figures.Required({"intermediate_size"});
    return;
  }
  model.topk = figures.Required({"num_experts_per_tok", "moe_topk"});
  model.moe_intermediate = figures.Required({"moe_intermediate_size", "intermediate_size"});
  // A config names intermediate_size even where no layer is dense.
  if (figures.Optional({"first_k_dense_replace"}, 0) > 0 || figures.NotEmpty("mlp_only_layers")) {
    model.intermediate = figures.Required({"intermediate_size"});
  }
  model.shared_experts = figures.Optional({"n_shared_experts"}, 0);
  model.shared_intermediate = figures.Optional({"shared_expert_intermediate_size"},
                                               model.shared_experts * model.moe_intermediate);
}

// The values of a file of ours, and its name.
json FlatFigures(const json& parsed, JsonErrors& errors, std::string& name) {
  JsonObject file(parsed, "", errors);
  name = file.Text("name");
  file.Text("title");
  file.Text("notes", "");
  JsonObject figures = file.Object("figures");
  json flat = json::object();
  for (const std::string& member : figures.MemberNames()) {
    JsonObject figure = figures.Object(member);
    if (figure.Text("source").empty()) figure.Fail("source", "must say where the figure is from");
    if (!figure.Has("value")) figure.Fail("value", "is missing");
    if (!errors.any()) flat[member] = parsed["figures"][member]["value"];
  }
  file.Finish();
  return flat;
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
  JsonErrors errors{std::string(name), kBadModel};
  const json parsed = ParseJson(json_text, errors);
  if (!errors.any() && !parsed.is_object()) errors.Add("", "must be a JSON object");
  if (errors.any()) return errors.first();
  Model model;
  model.name = name;
  json config = parsed;
  if (parsed.contains("figures")) {
    config = FlatFigures(parsed, errors, model.name);
    if (errors.any()) return errors.first();
  } else if (parsed.contains("text_config") && parsed["text_config"].is_object()) {
    config = parsed["text_config"];
  }
  Figures figures(config);
  ReadAttention(figures, model);
  ReadFeedForward(figures, model);
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
  if (IsPath(name)) {
    const std::optional<std::string> text = ReadFile(name);
    if (text) return ParseModel(name, *text);
    return Error{"unknown_model", name + ": cannot be read"};
  }
  const std::string file = name + ".json";
  if (const std::optional<std::string> text = folder.Read(file)) {
    return ParseModel(folder.PlaceOf(file), *text);
  }
  return Error{"unknown_model", fmt::format("there is no model '{}' in {}, only {}", name,
                                            folder.place(), fmt::join(ModelNames(folder), ", "))};
}

}  // namespace tunehub::core
