#include "core/shapes/model.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "build_info.h"
#include "core/shapes/known_models.h"
#include "tests/support/result.h"
#include "tests/support/temp_dir.h"

namespace tunehub::core {
namespace {

using Json = nlohmann::json;

const std::filesystem::path kModels = TUNEHUB_SOURCE_DIR "/configs/models";

std::string Complaint(const std::string& text) {
  const Result<Model> model = ParseModel("config.json", text);
  return model.ok() ? "accepted" : model.error().code + " " + model.error().detail;
}

TEST(Model, the_shipped_files_are_read_and_each_names_its_source) {
  const std::vector<std::string> names = ModelNames(kModels);
  EXPECT_GE(names.size(), 25U);
  for (const std::string& name : names) {
    const Model model = Must(LoadModel(kModels, name));
    EXPECT_EQ(model.name, name);
    EXPECT_FALSE(model.title.empty()) << name;
    EXPECT_TRUE(model.source.starts_with("https://huggingface.co/")) << name;
    EXPECT_TRUE(model.source.ends_with("/config.json")) << name;
    EXPECT_GT(model.layers, 0) << name;
  }
}

std::int64_t LayersOf(const Model& model, const char* product) {
  std::int64_t layers = 0;
  for (const StoredLayers& it : model.stored.at(product)) layers += it.layers;
  return layers;
}

TEST(Model, layers_with_experts_are_counted_as_each_architecture_says) {
  const Model frequency =
      *ParseModel("c", R"({"model_type": "glm4_moe", "hidden_size": 64, "num_attention_heads": 4,
               "intermediate_size": 128, "moe_intermediate_size": 64,
               "n_routed_experts": 8, "num_experts_per_tok": 2, "num_hidden_layers": 5,
               "moe_layer_freq": [0, 1, 1, 0, 1]})");
  EXPECT_EQ(LayersOf(frequency, "experts"), 3);
  const Model listed =
      *ParseModel("c", R"({"model_type": "qwen3_moe", "hidden_size": 64, "num_attention_heads": 4,
               "intermediate_size": 128, "moe_intermediate_size": 64,
               "num_experts": 8, "num_experts_per_tok": 2, "num_hidden_layers": 6,
               "decoder_sparse_step": 2, "mlp_only_layers": [1]})");
  EXPECT_EQ(LayersOf(listed, "experts"), 2);
  EXPECT_EQ(listed.intermediate, 128);
}

TEST(Model, a_config_of_hugging_face_is_read_and_its_text_config_counts) {
  const Model plain = *ParseModel(
      "c",
      R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "intermediate_size": 11008,
               "architectures": ["X"], "num_key_value_heads": null})");
  EXPECT_EQ(plain.kv_heads, 32);
  EXPECT_EQ(plain.head_dim, 128);
  EXPECT_EQ(plain.activation, "silu");
  const Model nested = *ParseModel(
      "c",
      R"({"vision_config": {"hidden_size": 1}, "text_config": {"model_type": "llama", "hidden_size": 4096,
               "num_attention_heads": 32, "intermediate_size": 11008, "hidden_act": "gelu"}})");
  EXPECT_EQ(nested.hidden, 4096);
  EXPECT_EQ(nested.activation, "gelu");
}

TEST(Model, a_mixture_of_experts_has_a_dense_width_only_where_layers_are_dense) {
  const Json config = {{"model_type", "qwen3_moe"},
                       {"hidden_size", 4096},
                       {"num_attention_heads", 32},
                       {"intermediate_size", 12288},
                       {"num_experts", 128},
                       {"num_experts_per_tok", 8},
                       {"moe_intermediate_size", 1536},
                       {"mlp_only_layers", Json::array()}};
  EXPECT_EQ(ParseModel("c", config.dump())->intermediate, 0);
  Json mixed = config;
  mixed["mlp_only_layers"] = {0, 1};
  EXPECT_EQ(ParseModel("c", mixed.dump())->intermediate, 12288);
  Json first = config;
  first["first_k_dense_replace"] = 3;
  EXPECT_EQ(ParseModel("c", first.dump())->intermediate, 12288);
}

TEST(Model, every_member_that_is_missing_or_wrong_is_named_at_once) {
  EXPECT_EQ(Complaint("{}"), "bad_model config.json: has no model_type");
  EXPECT_EQ(Complaint(R"({"model_type": "llama"})"),
            "bad_model config.json: has no hidden_size, num_attention_heads, intermediate_size");
  EXPECT_EQ(Complaint(R"({"model_type": "qwen3_moe", "hidden_size": 1, "num_attention_heads": 1,
                          "num_experts": 8})"),
            "bad_model config.json: has no num_experts_per_tok, moe_intermediate_size");
  EXPECT_EQ(Complaint(R"({"model_type": "kimi_k25", "text_config": {"model_type": "kimi_k2",
                          "hidden_size": 1, "num_attention_heads": 1, "kv_lora_rank": 512,
                          "qk_rope_head_dim": 64, "n_routed_experts": 8, "moe_topk": 2,
                          "moe_intermediate_size": 64}})"),
            "bad_model config.json: has no text_config.qk_nope_head_dim, text_config.v_head_dim");
  EXPECT_EQ(Complaint(R"({"model_type": "qwen3_5", "hidden_size": 1, "num_attention_heads": 1,
                          "intermediate_size": 1, "linear_num_value_heads": 48})"),
            "bad_model config.json: has no linear_num_key_heads, linear_key_head_dim, "
            "linear_value_head_dim");
  EXPECT_EQ(Complaint(R"({"model_type": "llama", "hidden_size": "5120", "num_attention_heads": 0,
                          "intermediate_size": -4})"),
            "bad_model config.json: hidden_size must be a whole number up to 100000000, but is "
            "\"5120\"; num_attention_heads must not be 0; intermediate_size must be a whole number "
            "up to 100000000, but is -4");
}

TEST(Model, an_unknown_member_of_any_shipped_config_is_noted) {
  for (const std::string& name : ModelNames(kModels)) {
    Json config = Json::parse(*TextFolder(kModels).Read(name + ".json"))["config"];
    EXPECT_EQ(ParseModel("c", config.dump())->notes, std::vector<std::string>{}) << name;
    EXPECT_EQ(ParseModel("c", config.dump())->doubts, std::vector<std::string>{}) << name;
    const bool nested = config.contains("text_config");
    (nested ? config["text_config"] : config)["zeta_rank"] = 7;
    const auto noted = ParseModel("c", config.dump());
    ASSERT_TRUE(noted.ok()) << name;
    EXPECT_EQ(noted->notes,
              std::vector<std::string>{
                  std::string(nested ? "text_config." : "") +
                  "zeta_rank is an unknown member, which may change a shape or a layer's storage"});
  }
  for (const Model& it : KnownModels(kModels)) {
    EXPECT_TRUE(it.notes.empty() && it.doubts.empty()) << it.name;
  }
}

TEST(Model, members_of_another_kind_are_refused_with_their_path) {
  const Json good = Json::parse(*TextFolder(kModels).Read("kimi-k2.5.json"))["config"];
  const auto with = [&](const char* member, const Json& value) {
    Json config = good;
    config["text_config"][member] = value;
    return Complaint(config.dump());
  };
  EXPECT_EQ(with("model_type", "zeta"),
            "bad_model config.json: text_config.model_type 'zeta' is an unknown architecture");
  EXPECT_EQ(with("n_routed_experts", Json::array({1})),
            "bad_model config.json: text_config.n_routed_experts must be a whole number up to "
            "100000000, but is [1]");
  EXPECT_EQ(with("mlp_only_layers", 3),
            "bad_model config.json: text_config.mlp_only_layers must be a list, but is 3");
  EXPECT_EQ(with("moe_layer_freq", {0, 1}),
            "bad_model config.json: text_config.moe_layer_freq has 2 entries, but the model has 61 "
            "layers");
  EXPECT_EQ(with("hidden_act", 1),
            "bad_model config.json: text_config.hidden_act must be a text, but is 1");
  EXPECT_EQ(
      with("quantization_config", "fp8"),
      "bad_model config.json: text_config.quantization_config must be an object, but is \"fp8\"");
  EXPECT_EQ(with("quantization_config", {{"quant_method", "fp8"}, {"ignore", {1}}}),
            "bad_model config.json: text_config.quantization_config.ignore must contain only "
            "texts, but contains 1");
}

TEST(Model, what_is_no_config_is_refused) {
  EXPECT_TRUE(Complaint("[]").ends_with("must be a JSON object"));
  EXPECT_NE(Complaint("{").find("expected JSON"), std::string::npos);
  EXPECT_EQ(Complaint(R"({"name": "x", "title": "X", "config": {"hidden_size": 1}})"),
            "bad_model config.json: /source: is missing");
  EXPECT_EQ(Complaint(std::string(kMaxConfigBytes + 1, ' ')),
            "bad_model config.json: has 4194305 bytes; a config.json may have at most 4194304");
  EXPECT_EQ(Complaint(R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4,
                          "intermediate_size": 128, "num_hidden_layers": 99999})"),
            "bad_model config.json: num_hidden_layers must be at most 10000, but is 99999");
  EXPECT_EQ(LoadModel(kModels, "/no/such/config.json").error().detail,
            "/no/such/config.json: no such file; pass a model's name, or the config.json of its "
            "checkpoint");
}

TEST(KnownModels, a_checkpoint_is_a_name_of_the_same_figures_stored_another_way) {
  const Model plain = *FindModel(kModels, "qwen3-vl-32b");
  const Model fp8 = *FindModel(kModels, "Qwen/Qwen3-VL-32B-Instruct-FP8");
  EXPECT_EQ(fp8.name, "Qwen/Qwen3-VL-32B-Instruct-FP8");
  EXPECT_EQ(fp8.title, "Qwen3-VL-32B-Instruct-FP8");
  EXPECT_EQ(fp8.hidden, plain.hidden);
  EXPECT_EQ(fp8.quantization.scheme, kFp8Block);
  EXPECT_EQ(fp8.quantization.block_k, 128);
  EXPECT_FALSE(plain.quantization.given);
  EXPECT_EQ(FindModel(kModels, "Qwen/Qwen3-VL-32B-Instruct")->name, "qwen3-vl-32b");
  const auto scheme = [](const char* name) {
    return FindModel(kModels, name)->quantization.scheme;
  };
  EXPECT_EQ(scheme("amd/Llama-3.3-70B-Instruct-MXFP4-Preview"), kFp4);
  EXPECT_EQ(scheme("RedHatAI/Llama-3.3-70B-Instruct-quantized.w8a8"), kInt8);
  EXPECT_EQ(scheme("RedHatAI/Qwen3-VL-235B-A22B-Instruct-FP8-dynamic"), kFp8);
}

TEST(KnownModels, have_one_name_each_and_an_unknown_one_is_answered_with_the_nearest) {
  std::set<std::string> names;
  for (const Model& it : KnownModels(kModels)) {
    EXPECT_TRUE(names.insert(it.name).second) << it.name;
    if (it.name.find('/') == std::string::npos) continue;
    EXPECT_TRUE(it.quantization.given) << it.name;
    EXPECT_EQ(it.source, "https://huggingface.co/" + it.name + "/blob/main/config.json");
    EXPECT_EQ(FindModel(kModels, it.name)->name, it.name);
  }
  EXPECT_GT(names.size(), ModelNames(kModels).size());
  const auto first_line = [](const TextFolder& models, const char* name) {
    const std::string detail = FindModel(models, name).error().detail;
    return detail.substr(0, detail.find('\n'));
  };
  EXPECT_EQ(first_line(kModels, "qwen3-33b"),
            "unknown model 'qwen3-33b'; did you mean qwen3-32b or qwen3-14b or qwen3-8b?");
  EXPECT_TRUE(first_line(kModels, "Qwen3-VL-32B-Instruct-FP9")
                  .starts_with("unknown model 'Qwen3-VL-32B-Instruct-FP9'; did you mean "
                               "Qwen/Qwen3-VL-32B-Instruct-FP8 or "));
  EXPECT_EQ(first_line(kModels, "banana"), "unknown model 'banana'");
  EXPECT_EQ(first_line("/no/such/folder", "x"), "unknown model 'x'");
}

TEST(KnownModels, have_their_names_on_hugging_face_in_any_case_and_with_or_without_an_owner) {
  const auto name = [](const char* asked) { return FindModel(kModels, asked)->name; };
  for (const char* asked : {"Qwen/Qwen3-32B", "qwen/qwen3-32b", "Qwen3-32B", "QWEN3-32B",
                            "https://huggingface.co/Qwen/Qwen3-32B"}) {
    EXPECT_EQ(name(asked), "qwen3-32b") << asked;
  }
  EXPECT_EQ(name("deepseek-ai/DeepSeek-V3"), "deepseek-v3");
  EXPECT_EQ(name("Qwen3-32B-FP8"), "Qwen/Qwen3-32B-FP8");
}

TEST(KnownModels, what_is_no_checkpoint_is_named) {
  test::TempDir dir;
  std::ofstream(dir / "model.gguf") << "GGUF";
  EXPECT_THAT(ErrorText(LoadModel(kModels, dir / "model.gguf")),
              testing::HasSubstr("model.gguf: a GGUF file has no config.json; pass "));
  EXPECT_THAT(ErrorText(LoadModel(kModels, dir.path().string())),
              testing::HasSubstr(": this folder has no config.json; pass "));
}

TEST(KnownModels, a_path_wins_over_a_name_for_who_may_read_files) {
  test::TempDir dir;
  std::filesystem::create_directories(dir.path() / "Qwen");
  const std::string folder = dir / "Qwen";
  std::ofstream(folder + "/config.json")
      << R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 128})";
  EXPECT_EQ(LoadModel(kModels, folder)->hidden, 64);
  EXPECT_EQ(LoadModel(kModels, folder + "/config.json")->hidden, 64);
  EXPECT_EQ(FindModel(kModels, folder).error().code, "unknown_model");
  EXPECT_EQ(LoadModel(kModels, "Qwen/Qwen3-8B-FP8")->hidden, 4096);
  EXPECT_EQ(LoadModel(kModels, dir.path().string()).error().code, "unknown_model");
}

// ModelOpt wrote this file until version 0.29. vLLM and SGLang read it.
TEST(KnownModels, what_lies_beside_a_config_says_how_it_is_stored_where_the_config_does_not) {
  test::TempDir dir;
  const std::string config =
      R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 128)";
  std::ofstream(dir / "config.json") << config << "}";
  const auto beside = [&](const char* text) {
    std::ofstream(dir / "hf_quant_config.json") << text;
    return LoadModel(kModels, dir / "config.json");
  };
  const Model fp8 = *beside(R"({"producer": {"name": "modelopt"}, "quantization": {
      "quant_algo": "FP8", "exclude_modules": ["lm_head", "*mlp*"]}})");
  EXPECT_EQ(fp8.quantization.scheme, kFp8);
  EXPECT_EQ(fp8.stored.at("o").front().stored.scheme, kFp8);
  EXPECT_EQ(fp8.stored.at("down").front().stored.scheme, kBf16);
  EXPECT_EQ(beside(R"({"quant_algo": "NVFP4", "group_size": 16})")->quantization.scheme, kNvfp4);
  EXPECT_EQ(beside(R"({"quantization": {"quant_algo": "NEW"}})")->doubts.size(), 1);
  EXPECT_TRUE(beside("[").error().detail.ends_with(
      R"(quantization_config must be an object, but is "hf_quant_config.json: expected an object")"));
  std::ofstream(dir / "config.json")
      << config << R"(, "quantization_config": {"quant_method": "fp8"}})";
  EXPECT_EQ(beside(R"({"quant_algo": "NVFP4"})")->quantization.scheme, kFp8);
}

TEST(KnownModels, a_checkpoint_that_lacks_something_is_refused_with_its_place) {
  const auto said = [](const char* entry) {
    return Complaint(
        R"({"name": "x", "title": "X", "source": "s", "config": {"model_type": "llama", "hidden_size": 1,
        "num_attention_heads": 1, "intermediate_size": 1}, "checkpoints": [)" +
        std::string(entry) + "]}");
  };
  EXPECT_EQ(said(R"({"name": "a/b", "source": "s", "quantization_config": {}})"),
            "bad_model config.json: /checkpoints/0/read: is missing");
  EXPECT_EQ(said(R"({"name": "a/b", "source": "s", "read": "none"})"),
            "bad_model config.json: /checkpoints/0/quantization_config: must be the storage of the "
            "weights");
}

}  // namespace
}  // namespace tunehub::core
