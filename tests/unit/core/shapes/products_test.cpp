#include "core/shapes/products.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "build_info.h"
#include "core/shapes/known_models.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

Model ShippedModel(const std::string& name) {
  return Must(LoadModel(TUNEHUB_SOURCE_DIR "/configs/models", name));
}

ProductPlan Plan(const std::string& name, const Parallelism& parallelism) {
  return Must(ProductsOf(ShippedModel(name), parallelism));
}

// Returns "qkv 61x 2112x7168 fp8_block", "experts 58x E256 top8 N256 7168 fp8_block", or
// "absorbed_k 61x 16x512x128 bf16".
std::string Text(const ModelProduct& it) {
  std::string text = it.layer + " " + std::to_string(it.layers) + "x ";
  if (it.kind == ProductKind::kExperts) {
    text += "E" + std::to_string(it.experts) + " top" + std::to_string(it.topk) + " N" +
            std::to_string(it.width) + " " + std::to_string(it.k);
  } else {
    if (it.batch > 0) text += std::to_string(it.batch) + "x";
    text += std::to_string(it.n) + "x" + std::to_string(it.k);
  }
  return text + " " + it.scheme + (it.bias ? " bias" : "");
}

using Texts = std::vector<std::string>;

Texts TextsOf(const std::string& name, const Parallelism& parallelism) {
  Texts texts;
  for (const ModelProduct& it : Plan(name, parallelism).products) texts.push_back(Text(it));
  return texts;
}

Texts Codes(const std::string& name, const Parallelism& parallelism, bool refused) {
  Texts codes;
  for (const SplitFinding& it : Plan(name, parallelism).findings) {
    if (it.refused == refused) codes.push_back(it.code);
  }
  return codes;
}

// Computed by hand from the config: 128 heads of width 128 + 64 (q), 128 + 128 (kv_b), 128 (o).
TEST(Products, deepseek_v3) {
  EXPECT_EQ(TextsOf("deepseek-v3", {.tp = 8}),
            (Texts{"qkv_a 61x 2112x7168 fp8_block", "q_b 61x 3072x1536 fp8_block",
                   "kv_b 61x 4096x512 fp8_block", "o 61x 7168x2048 fp8_block",
                   "absorbed_k 61x 16x512x128 bf16", "absorbed_v 61x 16x128x512 bf16",
                   "gate_up 3x 4608x7168 fp8_block", "down 3x 7168x2304 fp8_block",
                   "gate_up 58x 512x7168 fp8_block", "down 58x 7168x256 fp8_block",
                   "experts 58x E256 top8 N256 7168 fp8_block", "router 58x 256x7168 bf16",
                   "lm_head 1x 16160x7168 bf16"}));
}

TEST(Products, deepseek_v3_with_expert_and_data_parallelism) {
  const Parallelism eight = {.tp = 8, .ep = 8, .dp_attention = 8};
  const Texts sglang = TextsOf("deepseek-v3", eight);
  EXPECT_EQ(sglang[1], "q_b 61x 24576x1536 fp8_block");  // ranks do not split attention
  EXPECT_EQ(sglang[4], "absorbed_k 61x 128x512x128 bf16");
  EXPECT_EQ(sglang[6], "gate_up 3x 4608x7168 fp8_block");  // ranks split dense layers
  EXPECT_EQ(sglang[10], "experts 58x E32 top8 N2048 7168 fp8_block");
  EXPECT_EQ(sglang[12], "lm_head 1x 16160x7168 bf16");
  Parallelism vllm = eight;
  vllm.engine = "vllm";
  EXPECT_EQ(TextsOf("deepseek-v3", vllm)[6], "gate_up 3x 36864x7168 fp8_block");
  EXPECT_EQ(TextsOf("deepseek-v3", vllm)[12], "lm_head 1x 129280x7168 bf16");
  EXPECT_EQ(TextsOf("deepseek-v3", {.tp = 8, .ep = 2})[10],
            "experts 58x E128 top8 N512 7168 fp8_block");
  EXPECT_EQ(TextsOf("deepseek-v3", {.tp = 8, .fuse_shared_experts = true})[10],
            "experts 58x E257 top9 N256 7168 fp8_block");
}

// 64 heads and 8 KV heads of width 64. Every projection has a bias. Only the experts are MXFP4.
TEST(Products, gpt_oss_120b) {
  EXPECT_EQ(TextsOf("gpt-oss-120b", {.tp = 8}),
            (Texts{"qkv 36x 640x2880 bf16 bias", "o 36x 2880x512 bf16 bias",
                   "experts 36x E128 top4 N360 2880 mxfp4", "router 36x 128x2880 bf16 bias",
                   "lm_head 1x 25136x2880 bf16"}));
}

TEST(Products, sparse_attention_and_linear_attention) {
  const Texts v32 = TextsOf("deepseek-v3.2", {.tp = 8});
  EXPECT_THAT(v32, testing::IsSupersetOf({"index_q 61x 8192x1536 fp8_block",
                                          "index_k 61x 128x7168 fp8_block",
                                          "index_weights 61x 64x7168 bf16"}));
  EXPECT_EQ(TextsOf("qwen3-next-80b-a3b", {.tp = 4}),
            (Texts{"qkv 12x 2560x2048 bf16", "o 12x 2048x1024 bf16",
                   "linear_qkvz 36x 3072x2048 bf16", "linear_ba 36x 16x2048 bf16",
                   "linear_out 36x 2048x1024 bf16", "gate_up 48x 256x2048 bf16",
                   "down 48x 2048x128 bf16", "experts 48x E512 top10 N128 2048 bf16",
                   "router 48x 512x2048 bf16", "lm_head 1x 37984x2048 bf16"}));
}

// Returns the products of a config. Adds findings about unknown members to `notes`.
Texts TextsOfConfig(const std::string& config, const Parallelism& parallelism,
                    Texts* notes = nullptr) {
  const auto model = ParseModel("config.json", config);
  if (!model.ok()) return {model.error().detail};
  Texts texts;
  const auto plan = ProductsOf(*model, parallelism);
  if (!plan.ok()) return {plan.error().detail};
  for (const ModelProduct& it : plan->products) texts.push_back(Text(it));
  for (const SplitFinding& it : NotesOf(*model)) {
    if (notes != nullptr) notes->push_back(it.code + ": " + it.detail);
  }
  return texts;
}

// As in vllm/models/deepseek_v4: one latent key head, outputs in groups, and compressed keys of 4
// and 128 tokens.
TEST(Products, deepseek_v4) {
  const std::string config =
      R"({"model_type": "deepseek_v4", "hidden_size": 4096, "vocab_size": 129280,
      "num_hidden_layers": 4, "num_attention_heads": 64, "num_key_value_heads": 1, "head_dim": 512,
      "q_lora_rank": 1024, "o_groups": 8, "o_lora_rank": 1024, "index_n_heads": 64,
      "index_head_dim": 128, "n_routed_experts": 256, "n_shared_experts": 1,
      "num_experts_per_tok": 6, "moe_intermediate_size": 2048, "expert_dtype": "fp4",
      "compress_ratios": [0, 4, 128, 4, 0], "quantization_config": {"quant_method": "fp8",
      "weight_block_size": [128, 128]}})";
  Texts notes;
  EXPECT_EQ(TextsOfConfig(config, {.tp = 8}, &notes),
            (Texts{"wqa_wkv 4x 1536x4096 fp8_block", "wq_b 4x 4096x1024 fp8_block",
                   "wo_a 4x 1x1024x4096 fp8_block", "wo_b 4x 4096x1024 fp8_block",
                   "index_q 2x 8192x1024 fp8_block", "index_weights 2x 64x4096 bf16",
                   "compress_4 2x 2048x4096 bf16", "index_keys 2x 512x4096 bf16",
                   "compress_128 1x 1024x4096 bf16", "gate_up 4x 512x4096 fp8_block",
                   "down 4x 4096x256 fp8_block", "experts 4x E256 top6 N256 4096 mxfp4",
                   "router 4x 256x4096 bf16", "lm_head 1x 16160x4096 bf16"}));
  EXPECT_EQ(notes, Texts{});
}

// As in vllm/model_executor/models/llama.py: dense layers may have a bias. It changes no shape.
TEST(Products, a_bias_of_the_mlp_is_one_of_its_products) {
  const auto biases = [](const std::string& member) {
    const Model model = *ParseModel("c", R"({"model_type": "llama", "hidden_size": 64,
        "num_attention_heads": 4, "num_hidden_layers": 1, "intermediate_size": 128)" +
                                             member + "}");
    EXPECT_TRUE(NotesOf(model).empty());
    std::string biased;
    const ProductPlan plan = *ProductsOf(model, {});
    for (const ModelProduct& it : plan.products) biased += it.bias ? it.layer + " " : "";
    return biased;
  };
  EXPECT_EQ(biases(""), "");
  EXPECT_EQ(biases(R"(, "mlp_bias": false)"), "");
  EXPECT_EQ(biases(R"(, "mlp_bias": true)"), "gate_up down ");
}

// Layers with full attention have other head sizes. Every layer has a dense MLP and experts.
TEST(Products, gemma_4) {
  const std::string config =
      R"({"model_type": "gemma4", "text_config": {"model_type": "gemma4_text",
      "hidden_size": 2816, "num_hidden_layers": 3, "num_attention_heads": 16,
      "num_key_value_heads": 8, "num_global_key_value_heads": 2, "head_dim": 256,
      "global_head_dim": 512, "attention_k_eq_v": true, "intermediate_size": 2112,
      "enable_moe_block": true, "num_experts": 128, "top_k_experts": 8,
      "moe_intermediate_size": 704, "hidden_size_per_layer_input": 256,
      "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}})";
  Texts notes;
  EXPECT_EQ(TextsOfConfig(config, {.tp = 1}, &notes),
            (Texts{"qkv 2x 8192x2816 bf16", "o 2x 2816x4096 bf16", "qkv 1x 10240x2816 bf16",
                   "o 1x 2816x8192 bf16", "gate_up 3x 4224x2816 bf16", "down 3x 2816x2112 bf16",
                   "experts 3x E128 top8 N704 2816 bf16", "router 3x 128x2816 bf16"}));
  EXPECT_EQ(notes, Texts{"unknown_member: text_config.hidden_size_per_layer_input is 256, for "
                         "which the computation of the layers is unknown"});
}

TEST(Products, convolutions_and_shared_indexers) {
  const std::string lfm2 =
      R"({"model_type": "lfm2_moe", "hidden_size": 2048, "num_hidden_layers": 4,
      "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 7168,
      "num_dense_layers": 2, "num_experts": 32, "num_experts_per_tok": 4,
      "moe_intermediate_size": 1792)";
  EXPECT_EQ(
      TextsOfConfig(lfm2 + R"(, "layer_types": ["conv", "conv", "full_attention", "conv"]})",
                    {.tp = 1}),
      (Texts{"qkv 1x 3072x2048 bf16", "o 1x 2048x2048 bf16", "conv_in 3x 6144x2048 bf16",
             "conv_out 3x 2048x2048 bf16", "gate_up 2x 14336x2048 bf16", "down 2x 2048x7168 bf16",
             "experts 2x E32 top4 N1792 2048 bf16", "router 2x 32x2048 bf16"}));
  Texts notes;
  EXPECT_EQ(TextsOfConfig(lfm2 + "}", {.tp = 1}, &notes)[0], "qkv 0x 3072x2048 bf16");
  EXPECT_EQ(notes, Texts{"unknown_member: layer_types is missing, so it is unknown how many layers "
                         "have each matrix product"});
  EXPECT_EQ(TextsOfConfig(lfm2 + R"(, "layer_types": ["conv", "mamba", "conv", "conv"]})", {}),
            Texts{"config.json: layer_types/1 is an unknown kind of layer: \"mamba\""});
  notes.clear();
  const Texts glm = TextsOfConfig(R"({"model_type": "glm_moe_dsa", "hidden_size": 6144,
      "num_hidden_layers": 3, "num_attention_heads": 64, "q_lora_rank": 2048, "kv_lora_rank": 512,
      "qk_nope_head_dim": 192, "qk_rope_head_dim": 64, "v_head_dim": 256, "index_n_heads": 32,
      "index_head_dim": 128, "index_topk_freq": 4, "indexer_types": ["full", "shared", "full"], "intermediate_size": 12288,
      "mlp_layer_types": ["dense", "sparse", "sparse"], "n_routed_experts": 256,
      "num_experts_per_tok": 8, "moe_intermediate_size": 2048, "n_shared_experts": 1})",
                                  {.tp = 1}, &notes);
  EXPECT_EQ(notes, Texts());
  EXPECT_THAT(glm, testing::IsSupersetOf({"index_q 2x 4096x2048 bf16", "gate_up 1x 24576x6144 bf16",
                                          "experts 2x E256 top8 N2048 6144 bf16"}));
}

TEST(Products, layers_that_take_the_keys_of_another_have_no_indexer) {
  const std::string glm = R"({"model_type": "glm_moe_dsa", "hidden_size": 6144,
      "num_hidden_layers": 10, "num_attention_heads": 64, "q_lora_rank": 2048, "kv_lora_rank": 512,
      "qk_nope_head_dim": 192, "qk_rope_head_dim": 64, "v_head_dim": 256, "index_n_heads": 32,
      "index_head_dim": 128, "intermediate_size": 12288, "n_routed_experts": 256, "mlp_bias": false,
      "num_experts_per_tok": 8, "moe_intermediate_size": 2048)";
  const auto indexers = [&](const char* members) {
    Texts notes;
    const Texts all = TextsOfConfig(glm + members + "}", {.tp = 1}, &notes);
    EXPECT_EQ(notes, Texts{}) << members;
    const auto found =
        std::ranges::find_if(all, [](const std::string& it) { return it.starts_with("index_q "); });
    return found == all.end() ? "none" : *found;
  };
  EXPECT_EQ(indexers(""), "index_q 10x 4096x2048 bf16");
  // Layers 0, 1, 5 and 9. With the offset of GLM-5.2: layers 0, 1, 2 and 6.
  EXPECT_EQ(indexers(R"(, "index_topk_freq": 4)"), "index_q 4x 4096x2048 bf16");
  EXPECT_EQ(indexers(R"(, "index_topk_freq": 4, "index_skip_topk_offset": 3)"),
            "index_q 4x 4096x2048 bf16");
  EXPECT_EQ(indexers(R"(, "index_topk_freq": 4, "indexer_types":
      ["full", "shared", "full", "full", "full", "full", "full", "full", "full", "full"])"),
            "index_q 9x 4096x2048 bf16");
}

TEST(Products, vllm_joins_the_keys_and_weights_of_an_indexer) {
  const Texts vllm = TextsOf("deepseek-v3.2", {.tp = 8, .engine = "vllm"});
  EXPECT_THAT(vllm, testing::IsSupersetOf(
                        {"index_q 61x 8192x1536 fp8_block", "index_joined 61x 192x7168 bf16"}));
  EXPECT_THAT(vllm, testing::Not(testing::Contains("index_k 61x 128x7168 fp8_block")));
  EXPECT_THAT(TextsOf("deepseek-v3.2", {.tp = 8, .engine = "sglang"}),
              testing::Contains("index_k 61x 128x7168 fp8_block"));
}

TEST(Products, what_a_config_leaves_unconverted_stays_bf16) {
  const Texts kimi = TextsOf("kimi-k2.5", {.tp = 4});
  EXPECT_EQ(kimi[0], "qkv_a 61x 2112x7168 bf16");
  EXPECT_THAT(kimi, testing::IsSupersetOf({"gate_up 60x 1024x7168 bf16",  // shared experts
                                           "gate_up 1x 9216x7168 bf16",   // the dense layer
                                           "experts 60x E384 top8 N512 7168 int4"}));
  // The caller overrides the scheme.
  EXPECT_EQ(TextsOf("kimi-k2", {.tp = 8, .scheme = "fp8_block"})[0],
            "qkv_a 61x 2112x7168 fp8_block");
}

TEST(Products, what_an_engine_would_refuse_is_said) {
  EXPECT_EQ(Codes("deepseek-v3", {.tp = 8}, true), Texts{});
  // In gate_up, down and the experts, 2048 / 32 = 64 is half a block. 576 and 2304 do not fit,
  // either.
  const ProductPlan wide = Plan("deepseek-v3", {.tp = 32});
  EXPECT_FALSE(wide.findings.empty());
  for (const SplitFinding& it : wide.findings) EXPECT_EQ(it.code, "block") << it.detail;
  EXPECT_EQ(wide.findings.back().detail,
            "experts has 64 inputs on each GPU, which must be a multiple of 128 (the width of a "
            "scale's block); vLLM and SGLang refuse this split");
  EXPECT_EQ(Codes("qwen3-30b-a3b", {.tp = 8, .scheme = "fp8_block"}, true),
            (Texts{"block", "block"}));
  EXPECT_EQ(Codes("qwen3-30b-a3b", {.tp = 8, .ep = 8, .scheme = "fp8_block"}, true), Texts{});
  EXPECT_EQ(Plan("qwen3-30b-a3b", {.tp = 8}).findings.front().detail,
            "qwen3-30b-a3b has 4 KV heads, but there are 8 GPUs, so each is copied to 2");
  EXPECT_EQ(Codes("qwen3-30b-a3b", {.tp = 8}, true), Texts{});
}

TEST(Products, experts_that_ep_does_not_divide) {
  const ProductPlan sglang = Plan("qwen3-30b-a3b", {.tp = 6, .ep = 6});
  const auto uneven = std::ranges::find(sglang.findings, "uneven_experts", &SplitFinding::code);
  ASSERT_NE(uneven, sglang.findings.end());
  EXPECT_TRUE(uneven->refused);
  EXPECT_EQ(uneven->detail,
            "ep 6 cannot divide the 128 experts of qwen3-30b-a3b evenly. SGLang refuses this "
            "split; vLLM gives 2 GPUs 22 experts each, and the other GPUs 21");
  EXPECT_NE(sglang.Refusal(ProductKind::kDense), nullptr);  // 6 ranks cannot split 32 heads
  EXPECT_EQ(sglang.Refusal(ProductKind::kExperts), nullptr);
}

TEST(Products, numbers_that_go_together_for_no_model_are_errors) {
  const Model model = ShippedModel("qwen3-32b");
  EXPECT_EQ(ProductsOf(model, {.tp = 0}).error().code, "bad_tp");
  EXPECT_EQ(ProductsOf(model, {.tp = 8, .ep = 3}).error().detail,
            "ep must divide tp (8), but ep is 3");
  EXPECT_EQ(ProductsOf(model, {.tp = 8, .dp_attention = 5}).error().code, "bad_dp_attention");
}

// Compares with the names of vLLM's and SGLang's files for these models, which use the same E and
// N.
TEST(Products, upstream_file_names_of_the_fused_moe_are_ours) {
  std::set<std::pair<std::int64_t, std::int64_t>> upstream;
  std::size_t files = 0;
  for (const char* engine : {"vllm", "sglang"}) {
    const auto folder = test::RealDataFolder() / engine;
    if (!std::filesystem::exists(folder)) continue;
    const std::regex name("^E=(\\d+),N=(\\d+),device_name=.*");
    for (const auto& it : std::filesystem::recursive_directory_iterator(folder)) {
      std::smatch match;
      const std::string file = it.path().filename().string();
      if (!std::regex_match(file, match, name)) continue;
      upstream.emplace(std::stoll(match[1]), std::stoll(match[2]));
      ++files;
    }
  }
  if (files == 0) GTEST_SKIP() << test::NoRealTables();
  const auto has = [&](const std::string& model, const Parallelism& parallelism) {
    const ProductPlan plan = Plan(model, parallelism);
    const auto experts = std::ranges::find(plan.products, "experts", &ModelProduct::layer);
    return experts != plan.products.end() && upstream.contains({experts->experts, experts->width});
  };
  EXPECT_TRUE(has("deepseek-v3", {.tp = 8}));                               // E=256,N=256
  EXPECT_TRUE(has("deepseek-v3", {.tp = 16}));                              // E=256,N=128
  EXPECT_TRUE(has("deepseek-v3", {.tp = 8, .fuse_shared_experts = true}));  // E=257,N=256
  for (const std::int64_t tp : {1, 2, 4, 8}) {  // E=128,N=768 384 192 96
    EXPECT_TRUE(has("qwen3-30b-a3b", {.tp = tp})) << tp;
  }
  EXPECT_TRUE(has("qwen3-235b-a22b", {.tp = 4}));                           // E=128,N=384
  EXPECT_TRUE(has("mixtral-8x7b", {.tp = 2}));                              // E=8,N=7168
  EXPECT_TRUE(has("mixtral-8x22b", {.tp = 4}));                             // E=8,N=4096
  EXPECT_TRUE(has("qwen3-next-80b-a3b", {.tp = 4}));                        // E=512,N=128
  EXPECT_TRUE(has("kimi-k2", {.tp = 8}));                                   // E=384,N=256
  EXPECT_TRUE(has("llama-4-maverick", {.tp = 8}));                          // E=128,N=1024
  EXPECT_TRUE(has("glm-4.5-air", {.tp = 4, .fuse_shared_experts = true}));  // E=129,N=352
  EXPECT_TRUE(has("glm-4.7", {.tp = 8, .fuse_shared_experts = true}));      // E=161,N=192
  EXPECT_FALSE(has("deepseek-v3", {.tp = 3}));
}

}  // namespace
}  // namespace tunehub::core
