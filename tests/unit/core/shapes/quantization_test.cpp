#include "core/shapes/quantization.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/shapes/config_figures.h"
#include "core/shapes/model.h"
#include "core/shapes/products.h"
#include "tests/support/result.h"

namespace tunehub::core {
namespace {

struct ReadStorage {
  Quantization quantization;
  ConfigRemarks remarks;
};

ReadStorage Read(const std::string& text) {
  ReadStorage read;
  const auto json = nlohmann::ordered_json::parse(text);
  ConfigFigures figures(json, "quantization_config.", read.remarks);
  read.quantization = ReadQuantization(figures);
  return read;
}

TEST(Quantization, each_method_has_a_scheme) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"quant_method": "fp8", "weight_block_size": [128, 128]})", "fp8_block"},
      {R"({"quant_method": "fp8", "weight_block_size": null})", "fp8"},
      {R"({"quant_method": "fp8"})", "fp8"},
      {R"({"quant_method": "mxfp4"})", "mxfp4"},
      {R"({"quant_method": "awq", "bits": 4, "group_size": 128})", "int4"},
      {R"({"quant_method": "gptq", "bits": 8, "group_size": -1})", "int8_weights"},
      {R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {
            "weights": {"num_bits": 4, "type": "int", "group_size": 32}}}})",
       "int4"},
      {R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {
            "weights": {"num_bits": 8, "type": "float", "strategy": "channel"},
            "input_activations": {"num_bits": 8, "type": "float"}}}})",
       "fp8"},
      {R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {
            "weights": {"num_bits": 8, "type": "float"}, "input_activations": null}}})",
       "fp8_weights"},
      {R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {
            "weights": {"num_bits": 8, "type": "float", "block_structure": [128, 128]},
            "input_activations": {"num_bits": 8}}}})",
       "fp8_block"},
      {R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {
            "weights": {"num_bits": 8, "type": "int"}, "input_activations": {"num_bits": 8}}}})",
       "int8"},
      {R"({"quant_method": "quark", "global_quant_config": {"weight": {"dtype": "fp4"},
            "input_tensors": {"dtype": "fp4"}}})",
       "fp4"},
      {R"({"quant_method": "quark", "global_quant_config": {"weight": {"dtype": "fp8_e4m3"}}})",
       "fp8"},
      {R"({"quant_method": "quark", "global_quant_config": {"weight": [{"dtype": "fp8_e4m3"},
            {"dtype": "int4"}], "input_tensors": {"dtype": "fp8_e4m3"}}})",
       "int4_fp8"},
      {R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})", "nvfp4"},
      {R"({"quant_method": "bitsandbytes", "load_in_4bit": true})", "bitsandbytes 4 bits"},
  };
  for (const auto& [text, scheme] : cases) {
    const ReadStorage read = Read(text);
    EXPECT_EQ(read.quantization.scheme, scheme) << text;
    EXPECT_EQ(read.remarks.Complaint(), "") << text;
    EXPECT_TRUE(read.remarks.notes.empty() && read.remarks.doubts.empty()) << text;
  }
  EXPECT_EQ(Read(cases[0].first).quantization.block_n, 128);
  EXPECT_EQ(Read(cases[4].first).quantization.group, 128);
}

TEST(Quantization, what_leaves_a_scheme_open_is_said_with_its_member) {
  const auto doubt = [](const std::string& text) {
    const auto doubts = Read(text).remarks.doubts;
    return doubts.size() == 1 ? doubts.front() : std::to_string(doubts.size());
  };
  EXPECT_EQ(doubt("{}"),
            "quantization_config.quant_method is missing, so it is unknown how layers are stored");
  EXPECT_EQ(doubt(R"({"quant_method": "hqq"})"),
            "quantization_config.quant_method 'hqq' is an unknown method, so it is unknown how "
            "layers are stored");
  EXPECT_EQ(
      doubt(R"({"quant_method": "quark", "global_quant_config": {"weight": {"dtype": "fp5"}}})"),
      "quantization_config.global_quant_config.weight is fp5, so it is unknown how layers are "
      "stored");
  EXPECT_EQ(doubt(R"({"quant_method": "compressed-tensors", "config_groups": {"g": {"weights": {
                      "num_bits": 4}}}, "ignore": ["re:(x"]})"),
            "quantization_config.ignore: '(x': expected a pattern: missing closing parenthesis, so "
            "it is unknown how layers are stored");
  EXPECT_EQ(Read(R"({"quant_method": "fp8", "zeta": 1})").remarks.notes,
            std::vector<std::string>{"quantization_config.zeta is an unknown member, which may "
                                     "change a shape or a layer's storage"});
}

// Shows how the products of four layers are stored: "qkv 4 int4, experts 3 bf16". The first is
// dense.
std::string StoredBy(const std::string& quantization) {
  const auto model = ParseModel("c", R"({"model_type": "deepseek_v2", "hidden_size": 512,
      "num_hidden_layers": 4, "first_k_dense_replace": 1, "num_attention_heads": 4,
      "kv_lora_rank": 64, "qk_nope_head_dim": 32, "qk_rope_head_dim": 32, "v_head_dim": 32,
      "intermediate_size": 1024, "moe_intermediate_size": 256, "n_routed_experts": 8,
      "n_shared_experts": 1, "num_experts_per_tok": 2, "quantization_config": )" +
                                         quantization + "}");
  if (!model.ok()) return model.error().detail;
  std::string text;
  for (const char* name : {"q", "o", "gate_up", "shared_gate_up", "shared_down", "experts"}) {
    text += (text.empty() ? "" : ", ") + std::string(name);
    for (const StoredLayers& it : model->stored.at(name)) {
      text += " " + std::to_string(it.layers) + " " + it.stored.scheme;
    }
  }
  return text;
}

std::string Groups(const std::string& more) {
  return R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"targets": ["Linear"],
      "weights": {"num_bits": 4, "type": "int", "group_size": 32}}}, )" +
         more + "}";
}

TEST(Quantization, a_block_that_is_none_and_patterns_that_take_too_long_are_named) {
  for (const char* block : {"[128]", "[0, 128]", "[128, \"x\"]", "128", "[128, 9999999]"}) {
    const std::string complaint = Read(std::string(R"({"quant_method": "fp8",
        "weight_block_size": )") + block +
                                       "}")
                                      .remarks.Complaint();
    EXPECT_TRUE(complaint.starts_with("quantization_config.weight_block_size must be two numbers"))
        << block;
  }
  EXPECT_EQ(StoredBy(Groups(R"("ignore": ["re:(.+)+$(?<!.)x"])")),
            "c: quantization_config has patterns that take too much time to match");
  std::string many = R"("re:z")";
  for (int i = 0; i < 20'000; ++i) many += R"(, "re:z")";
  EXPECT_EQ(StoredBy(Groups("\"ignore\": [" + many + "]")),
            "c: quantization_config has patterns that take too much time to match");
}

TEST(Quantization, compressed_tensors_matches_expressions_names_and_classes) {
  EXPECT_EQ(
      StoredBy(Groups(R"("ignore": ["lm_head", "re:.*mlp\\.(gate|up|gate_up|down)_proj.*"])")),
      "q 4 int4, o 4 int4, gate_up 1 bf16, shared_gate_up 3 int4, shared_down 3 int4, "
      "experts 3 int4");
  // A plain name must match completely, an expression only from the start.
  EXPECT_EQ(StoredBy(Groups(R"("ignore": ["model.layers.1.self_attn.o_proj", "self_attn.q_proj",
                               "re:self_attn"])")),
            "q 4 int4, o 3 int4 1 bf16, gate_up 1 int4, shared_gate_up 3 int4, shared_down 3 int4, "
            "experts 3 int4");
  EXPECT_EQ(StoredBy(R"({"quant_method": "compressed-tensors", "config_groups": {
      "group_0": {"targets": ["re:.*mlp\\.experts\\.\\d+\\.(gate|up|down)_proj$"],
                  "weights": {"num_bits": 4, "type": "int"}},
      "group_1": {"targets": ["re:.*layers\\.[0-2]\\.self_attn.*"],
                  "weights": {"num_bits": 8, "type": "int"}}}})"),
            "q 3 int8_weights 1 bf16, o 3 int8_weights 1 bf16, gate_up 1 bf16, shared_gate_up 3 "
            "bf16, shared_down 3 bf16, experts 3 int4");
}

TEST(Quantization, expressions_are_matched_as_each_method_does) {
  EXPECT_EQ(StoredBy(R"({"quant_method": "quark", "global_quant_config": {
      "weight": {"dtype": "fp4"}, "input_tensors": {"dtype": "fp4"}},
      "layer_quant_config": {"*self_attn*": {"weight": {"dtype": "fp8_e4m3",
      "qscheme": "per_channel"}, "input_tensors": {"dtype": "fp8_e4m3"}}},
      "exclude": ["lm_head", "*.mlp.gate", "model.layers.[12].mlp.shared_experts.*",
      "*layers.3.self_attn.o_proj"]})"),
            "q 4 fp8, o 3 fp8 1 bf16, gate_up 1 fp4, shared_gate_up 2 bf16 1 fp4, shared_down 2 "
            "bf16 1 fp4, experts 3 fp4");
  // The config of a published large model: attention, shared experts and the dense layer keep their
  // precision.
  EXPECT_EQ(StoredBy(Groups(R"("ignore": ["lm_head", "re:.*self_attn.*", "re:.*shared_experts.*",
                               "re:.*mlp\\.(gate|up|gate_up|down)_proj.*"])")),
            "q 4 bf16, o 4 bf16, gate_up 1 bf16, shared_gate_up 3 bf16, shared_down 3 bf16, "
            "experts 3 int4");
  // vLLM searches for expressions within a name. A complete name has priority over any expression.
  EXPECT_EQ(StoredBy(R"({"quant_method": "auto-round", "bits": 4, "extra_config": {
      "self_attn\\.(q|o)_proj": {"bits": 8}, "model.layers.0.self_attn.o_proj": {"bits": 16}}})"),
            "q 4 int8_weights, o 1 bf16 3 int8_weights, gate_up 1 int4, shared_gate_up 3 int4, "
            "shared_down 3 int4, experts 3 int4");
}

TEST(Quantization, others_match_each_as_they_do) {
  EXPECT_EQ(
      StoredBy(R"({"quant_method": "awq", "bits": 4, "modules_to_not_convert": ["shared_exp",
                         "mlp.gate"]})"),
      "q 4 int4, o 4 int4, gate_up 1 bf16, shared_gate_up 3 bf16, shared_down 3 bf16, experts "
      "3 int4");
  // GPTQ uses the first matching expression, in the order of the file.
  EXPECT_EQ(
      StoredBy(R"({"quant_method": "gptq", "bits": 4, "group_size": 128, "dynamic": {
      "lm_head": {}, "+:.*shared_experts.down.*": {"bits": 8}, "-:.*shared_experts.*": {},
      "-:.*attn.*": {}}})"),
      "q 4 bf16, o 4 bf16, gate_up 1 int4, shared_gate_up 3 bf16, shared_down 3 int8_weights, "
      "experts 3 int4");
  EXPECT_EQ(
      StoredBy(R"({"quant_method": "fp8", "modules_to_not_convert": ["gate", "self_attn",
      "model.layers.0.mlp", "model.layers.*.mlp.shared_experts"]})"),
      "q 4 bf16, o 4 bf16, gate_up 1 bf16, shared_gate_up 3 bf16, shared_down 3 bf16, experts "
      "3 fp8");
  EXPECT_EQ(StoredBy(R"({"quant_method": "modelopt", "quant_algo": "FP8",
      "ignore": ["model.layers.1*", "*self_attn*"]})"),
            "q 4 bf16, o 4 bf16, gate_up 1 fp8, shared_gate_up 1 bf16 2 fp8, shared_down 1 bf16 2 "
            "fp8, experts 1 bf16 2 fp8");
  EXPECT_EQ(
      StoredBy(R"({"quant_method": "mxfp4"})"),
      "q 4 bf16, o 4 bf16, gate_up 1 bf16, shared_gate_up 3 bf16, shared_down 3 bf16, experts "
      "3 mxfp4");
}

TEST(Quantization, parts_of_one_weight_that_differ_are_said_to) {
  const auto model = Must(ParseModel("c", R"({"model_type": "llama", "hidden_size": 64,
      "num_attention_heads": 4, "num_hidden_layers": 2, "intermediate_size": 128,
      "quantization_config": {"quant_method": "compressed-tensors", "config_groups": {"g": {
      "weights": {"num_bits": 4}}}, "ignore": ["re:.*k_proj"]}})"));
  EXPECT_EQ(model.doubts,
            std::vector<std::string>{"quantization_config stores parts of qkv in layer 0 "
                                     "differently, so it is unknown how layers are stored"});
  EXPECT_EQ(model.stored.at("qkv").front().stored.scheme, "unlike");
}

}  // namespace
}  // namespace tunehub::core
