#include "core/shapes/quantization.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/shapes/unconverted.h"

namespace tunehub::core {
namespace {

Quantization Read(const std::string& text) {
  std::string complaint;
  Quantization quantization = ReadQuantization(nlohmann::json::parse(text), complaint);
  EXPECT_EQ(complaint, "") << text;
  return quantization;
}

TEST(Quantization, each_method_has_a_scheme) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"quant_method": "fp8", "weight_block_size": [128, 128]})", "fp8_block"},
      {R"({"quant_method": "fp8", "weight_block_size": null})", "fp8"},
      {R"({"quant_method": "fp8"})", "fp8"},
      {R"({"quant_method": "mxfp4"})", "mxfp4"},
      {R"({"quant_method": "awq", "bits": 4, "group_size": 128})", "int4"},
      {R"({"quant_method": "gptq", "bits": 8, "group_size": 128})", "int8_weights"},
      {R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {
            "weights": {"num_bits": 4, "type": "int", "group_size": 32}}}})",
       "int4"},
      {R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {
            "weights": {"num_bits": 8, "type": "float", "strategy": "channel"},
            "input_activations": {"num_bits": 8, "type": "float"}}}})",
       "fp8"},
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
      {R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})", "nvfp4"},
      {R"({"quant_method": "hqq"})", "hqq"},
      {"{}", "unnamed"},
  };
  for (const auto& [text, scheme] : cases) EXPECT_EQ(Read(text).scheme, scheme) << text;
  EXPECT_EQ(Read(cases[0].first).block_n, 128);
  EXPECT_EQ(Read(cases[4].first).group, 128);
}

TEST(Quantization, a_block_that_is_none_is_named) {
  for (const char* block : {"[128]", "[0, 128]", "[128, \"x\"]", "128", "[128, 9999999]"}) {
    std::string complaint;
    ReadQuantization(nlohmann::json::parse(std::string(R"({"quant_method": "fp8",
        "weight_block_size": )") + block + "}"),
                     complaint);
    EXPECT_TRUE(complaint.starts_with("quantization_config.weight_block_size must be two numbers"))
        << block;
  }
}

TEST(Quantization, entries_name_modules_of_all_layers_or_of_one) {
  const auto parsed = [](std::string_view entry) {
    const Unconverted it = ParseUnconverted(entry);
    return it.module + " " + std::to_string(it.layer);
  };
  EXPECT_EQ(parsed("lm_head"), "lm_head -1");
  EXPECT_EQ(parsed("model.layers.*.self_attn"), "self_attn -1");
  EXPECT_EQ(parsed("re:.*self_attn.*"), "self_attn -1");
  EXPECT_EQ(parsed("re:.*mlp\\.gate$"), "mlp.gate -1");
  EXPECT_EQ(parsed("model.layers.12.mlp.gate"), "mlp.gate 12");
  EXPECT_EQ(parsed("re:^model\\.layers\\.\\d+\\.mlp\\.down_proj$"), "mlp.down_proj -1");
  EXPECT_EQ(parsed("model.layers.0."), " 0");
}

TEST(Quantization, an_entry_covers_whole_components) {
  EXPECT_TRUE(Covers("self_attn", "self_attn.q_proj"));
  EXPECT_TRUE(Covers("q_proj", "self_attn.q_proj"));
  EXPECT_TRUE(Covers("", "anything"));
  EXPECT_FALSE(Covers("mlp.gate", "mlp.gate_proj"));
  EXPECT_FALSE(Covers("gate", "mlp.gate_proj"));
  EXPECT_FALSE(Covers("experts", "mlp.shared_experts.gate_proj"));
}

TEST(Quantization, layers_that_keep_their_precision_are_counted) {
  const Quantization it = Read(R"({"quant_method": "fp8", "ignored_layers":
      ["model.layers.0.self_attn.o_proj", "model.layers.5.self_attn", "re:.*shared_experts.*"]})");
  EXPECT_EQ(it.LayersLeft({"self_attn.o_proj"}, 60), 2);
  EXPECT_EQ(it.LayersLeft({"self_attn.q_proj"}, 60), 1);
  EXPECT_EQ(it.LayersLeft({"mlp.shared_experts.gate_proj"}, 60), 60);
  EXPECT_EQ(it.LayersLeft({"mlp.experts"}, 60), 0);
}

}  // namespace
}  // namespace tunehub::core
