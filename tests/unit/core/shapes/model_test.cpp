#include "core/shapes/model.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "build_info.h"
#include "tests/support/temp_dir.h"

namespace tunehub::core {
namespace {

using Json = nlohmann::json;

const std::filesystem::path kModels = TUNEHUB_SOURCE_DIR "/configs/models";

std::string Complaint(const std::string& text) {
  const Result<Model> model = ParseModel("config.json", text);
  return model.ok() ? "accepted" : model.error().code + " " + model.error().detail;
}

TEST(Model, the_shipped_files_are_read_and_each_figure_names_its_source) {
  const std::vector<std::string> names = ModelNames(kModels);
  EXPECT_EQ(names,
            (std::vector<std::string>{"deepseek-v3", "llama-3.1-405b", "llama-3.3-70b", "qwen3-32b",
                                      "qwen3-vl-235b-a22b", "qwen3-vl-32b", "qwen3.6-27b"}));
  for (const std::string& name : names) {
    const Result<Model> model = LoadModel(kModels, name);
    ASSERT_TRUE(model.ok()) << model.error().detail;
    EXPECT_EQ(model->name, name);
  }
}

TEST(Model, a_config_of_hugging_face_is_read_and_its_text_config_counts) {
  const Model plain = *ParseModel(
      "c", R"({"hidden_size": 4096, "num_attention_heads": 32, "intermediate_size": 11008,
               "architectures": ["X"], "num_key_value_heads": null})");
  EXPECT_EQ(plain.kv_heads, 32);
  EXPECT_EQ(plain.head_dim, 128);
  EXPECT_EQ(plain.activation, "silu");
  const Model nested =
      *ParseModel("c", R"({"vision_config": {"hidden_size": 1}, "text_config": {"hidden_size": 4096,
               "num_attention_heads": 32, "intermediate_size": 11008, "hidden_act": "gelu"}})");
  EXPECT_EQ(nested.hidden, 4096);
  EXPECT_EQ(nested.activation, "gelu");
}

TEST(Model, a_mixture_of_experts_has_a_dense_width_only_where_layers_are_dense) {
  const Json config = {{"hidden_size", 4096},
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
  EXPECT_EQ(Complaint("{}"),
            "bad_model config.json: lacks hidden_size, num_attention_heads, intermediate_size");
  EXPECT_EQ(Complaint(R"({"hidden_size": 1, "num_attention_heads": 1, "num_experts": 8})"),
            "bad_model config.json: lacks num_experts_per_tok, moe_intermediate_size");
  EXPECT_EQ(Complaint(R"({"hidden_size": 1, "num_attention_heads": 1, "intermediate_size": 1,
                          "kv_lora_rank": 512, "qk_rope_head_dim": 64})"),
            "bad_model config.json: lacks qk_nope_head_dim, v_head_dim");
  EXPECT_EQ(Complaint(R"({"hidden_size": 1, "num_attention_heads": 1, "intermediate_size": 1,
                          "linear_num_value_heads": 48})"),
            "bad_model config.json: lacks linear_num_key_heads, linear_key_head_dim, "
            "linear_value_head_dim");
  EXPECT_EQ(Complaint(R"({"hidden_size": "5120", "num_attention_heads": 0,
                          "intermediate_size": -4})"),
            "bad_model config.json: hidden_size must be a whole number up to 100000000, not "
            "\"5120\"; num_attention_heads must not be 0; intermediate_size must be a whole number "
            "up to 100000000, not -4");
}

TEST(Model, what_is_no_config_is_refused) {
  EXPECT_TRUE(Complaint("[]").ends_with("must be a JSON object"));
  EXPECT_NE(Complaint("{").find("is no JSON"), std::string::npos);
  EXPECT_EQ(Complaint(R"({"name": "x", "title": "X", "figures": {"hidden_size": {"value": 1}}})"),
            "bad_model config.json: /figures/hidden_size/source: is missing");
  EXPECT_EQ(LoadModel(kModels, "qwen4").error().code, "unknown_model");
  EXPECT_NE(LoadModel(kModels, "qwen4").error().detail.find("qwen3-32b"), std::string::npos);
  EXPECT_EQ(LoadModel(kModels, "/no/such/config.json").error().detail,
            "/no/such/config.json: cannot be read");
}

}  // namespace
}  // namespace tunehub::core
