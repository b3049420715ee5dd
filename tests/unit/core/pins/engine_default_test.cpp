// The shipped rules, beside what each engine's function says, restated.
#include "core/pins/engine_default.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "tests/support/shipped.h"

namespace tunehub::pins {
namespace {

using ::testing::HasSubstr;

const EngineRules& Rules(std::string_view name) {
  static const auto all = LoadEngineRules(test::ShippedFamilyFolder().parent_path() / "defaults");
  return **FindEngineRules(*all, name);
}
const EngineRules& Vllm() {
  return Rules("vllm@238c4c1705");
}
const EngineRules& Sglang() {
  return Rules("sglang@6ed5780c4f");
}

Facts Moe(const std::string& engine, const std::string& dtype, int experts,
          const std::string& platform, int block = 0) {
  return {
      {"engine", engine},    {"E", std::to_string(experts)},     {"N", "512"},
      {"dtype", dtype},      {"block_n", std::to_string(block)}, {"block_k", std::to_string(block)},
      {"down", "0"},         {"per_channel_quant", "0"},         {"backend", ""},
      {"platform", platform}};
}

std::string Default(const EngineRules& rules, const Facts& facts, std::int64_t m,
                    std::string_view family = "triton_fused_moe") {
  const auto found = DefaultOf(rules, family, facts);
  return found.ok() ? found->Of(m) : found.error().code + ": " + found.error().detail;
}

std::string Config(int m, int n, int k, int group, int warps = 0, int stages = 0) {
  std::string json =
      fmt::format(R"({{"BLOCK_SIZE_M":{},"BLOCK_SIZE_N":{},"BLOCK_SIZE_K":{},"GROUP_SIZE_M":{})", m,
                  n, k, group);
  if (warps > 0) json += fmt::format(R"(,"num_warps":{},"num_stages":{})", warps, stages);
  return json + "}";
}

TEST(PinsEngineDefault, VllmsBlockScaledFp8DependsOnThePlatformAlone) {
  for (const std::int64_t m : {1, 8, 9, 4096, 100000}) {
    EXPECT_EQ(Default(Vllm(), Moe("vllm", "fp8_w8a8", 8, "rocm", 128), m),
              Config(64, 128, 128, 32, 4, 2));
    EXPECT_EQ(Default(Vllm(), Moe("vllm", "fp8_w8a8", 8, "cuda", 128), m),
              Config(64, 128, 128, 32, 4, 3));
  }
  EXPECT_THAT(Default(Vllm(), Moe("vllm", "fp8_w8a8", 8, "", 128), 1),
              HasSubstr("default_needs: the default of vllm@238c4c1705 depends on platform"));
  // Where it makes no difference it is not asked for.
  EXPECT_EQ(Default(Vllm(), Moe("vllm", "", 8, ""), 8), Config(16, 32, 64, 1));
}

TEST(PinsEngineDefault, VllmsOthersChangeBehindE) {
  for (const char* dtype : {"", "fp8_w8a8", "float32", "mxfp4_w4a4"}) {
    EXPECT_EQ(Default(Vllm(), Moe("vllm", dtype, 60, "cuda"), 60), Config(16, 32, 64, 1));
    EXPECT_EQ(Default(Vllm(), Moe("vllm", dtype, 60, "cuda"), 61), Config(64, 64, 32, 8));
  }
  EXPECT_EQ(DefaultOf(Vllm(), "triton_fused_moe", Moe("vllm", "", 60, ""))->Bounds(),
            std::vector<std::int64_t>{60});
}

TEST(PinsEngineDefault, VllmsWna16ChangesAt20And40) {
  const auto at = [](const Facts& facts) {
    return DefaultOf(Vllm(), "triton_fused_moe", facts)->Bounds();
  };
  const std::vector<std::int64_t> bounds = {20, 40};
  const Facts int4 = Moe("vllm", "int4_w4a16", 64, "rocm");
  EXPECT_EQ(at(int4), bounds);
  EXPECT_EQ(Default(Vllm(), int4, 20), R"({"BLOCK_SIZE_M":16,"GROUP_SIZE_M":1})");
  EXPECT_EQ(Default(Vllm(), int4, 21), R"({"BLOCK_SIZE_M":32,"GROUP_SIZE_M":1})");
  EXPECT_EQ(Default(Vllm(), int4, 41), R"({"BLOCK_SIZE_M":64,"GROUP_SIZE_M":1})");
  // int8 has both: by group, and by channel, whose kernel has to be told every block size.
  Facts int8 = Moe("vllm", "int8_w8a16", 64, "cuda");
  EXPECT_THAT(Default(Vllm(), int8, 1), HasSubstr("depends on group: the size of a group"));
  int8["group"] = "128";
  EXPECT_EQ(at(int8), bounds);
  int8["group"] = "0";
  EXPECT_EQ(Default(Vllm(), int8, 64), Config(16, 32, 64, 1));
}

TEST(PinsEngineDefault, CudasWna16KernelNeedsTopK) {
  Facts facts = Moe("vllm", "int4_w4a16", 8, "cuda");
  EXPECT_THAT(Default(Vllm(), facts, 1), HasSubstr("depends on group"));
  facts["group"] = "128";
  EXPECT_THAT(Default(Vllm(), facts, 1), HasSubstr("depends on top_k: how many experts"));
  facts["top_k"] = "2";  // M x 2 / 8 <= 6: up to M 24
  for (const std::int64_t m : {1, 7, 15, 16, 24}) {
    EXPECT_EQ(Default(Vllm(), facts, m),
              fmt::format(R"({{"BLOCK_SIZE_M":{}}})", std::min(m, std::int64_t{16})));
  }
  EXPECT_EQ(Default(Vllm(), facts, 25), R"({"BLOCK_SIZE_M":32,"GROUP_SIZE_M":1})");
  EXPECT_EQ(DefaultOf(Vllm(), "triton_fused_moe", facts)->Bounds().size(), 17U);  // 1..15, 24, 40
  facts["top_k"] = "0";
  EXPECT_THAT(Default(Vllm(), facts, 1), HasSubstr("top_k is 0"));
  facts["group"] = "16";  // a group that the kernel does not take
  EXPECT_EQ(Default(Vllm(), facts, 20), R"({"BLOCK_SIZE_M":16,"GROUP_SIZE_M":1})");
}

TEST(PinsEngineDefault, SglangsFp8WithoutBlocks) {
  EXPECT_EQ(Default(Sglang(), Moe("sglang", "fp8_w8a8", 128, "rocm"), 128),
            Config(64, 128, 128, 1, 4, 2));
  EXPECT_EQ(Default(Sglang(), Moe("sglang", "fp8_w8a8", 128, "rocm"), 129),
            Config(128, 256, 128, 32, 8, 2));
  Facts cuda = Moe("sglang", "fp8_w8a8", 128, "cuda");
  EXPECT_THAT(Default(Sglang(), cuda, 1), HasSubstr("depends on shared_memory"));
  cuda["shared_memory"] = "101376";
  EXPECT_EQ(Default(Sglang(), cuda, 128), Config(32, 64, 256, 1, 4, 4));
  EXPECT_EQ(Default(Sglang(), cuda, 129), Config(64, 128, 256, 64, 4, 2));
  cuda["shared_memory"] = "131072";
  EXPECT_EQ(Default(Sglang(), cuda, 128), Config(64, 128, 128, 1, 4, 4));
  EXPECT_EQ(Default(Sglang(), cuda, 129), Config(128, 256, 128, 32, 8, 4));
}

TEST(PinsEngineDefault, SglangsOthersNeedMarlinWhereExpertsAreFew) {
  EXPECT_EQ(Default(Sglang(), Moe("sglang", "", 32, ""), 32), Config(16, 32, 64, 1));
  EXPECT_EQ(Default(Sglang(), Moe("sglang", "int8_w8a8", 32, ""), 33), Config(64, 64, 32, 8));
  Facts few = Moe("sglang", "", 8, "");
  EXPECT_THAT(Default(Sglang(), few, 1), HasSubstr("depends on marlin"));
  few["marlin"] = "1";
  EXPECT_EQ(Default(Sglang(), few, 32), Config(16, 32, 64, 1));
  few["marlin"] = "0";
  EXPECT_EQ(Default(Sglang(), few, 9), Config(64, 64, 32, 8));
}

TEST(PinsEngineDefault, WhatNoRuleIsForIsRefusedByName) {
  Facts down = Moe("sglang", "fp8_w8a8", 128, "rocm");
  down["down"] = "1";
  EXPECT_THAT(Default(Sglang(), down, 1), HasSubstr("default_unknown: sglang@6ed5780c4f: a _down"));
  Facts flydsl = Moe("vllm", "int4_w4a16", 128, "rocm");
  flydsl["backend"] = "flydsl";
  EXPECT_EQ(Default(Vllm(), flydsl, 1),
            "default_rule_silent: the rules of vllm@238c4c1705 say nothing of triton_fused_moe "
            "dtype=int4_w4a16 backend=flydsl");
  EXPECT_THAT(Default(Sglang(), Moe("vllm", "", 64, ""), 1), HasSubstr("default_rule_silent"));
}

TEST(PinsEngineDefault, BlockGemms) {
  Facts gemm = {{"engine", "vllm"},    {"N", "512"},        {"K", "7168"},
                {"dtype", "fp8_w8a8"}, {"input_dtype", ""}, {"out_dtype", ""},
                {"block_n", "128"},    {"block_k", "64"},   {"platform", ""}};
  EXPECT_EQ(Default(Vllm(), gemm, 7, "triton_block_gemm"), Config(64, 128, 64, 32, 4, 2));
  gemm["engine"] = "sglang";
  EXPECT_EQ(Default(Sglang(), gemm, 7, "triton_block_gemm"), Config(64, 128, 64, 32, 4, 3));
  gemm["dtype"] = "int8_w8a8";
  EXPECT_THAT(Default(Sglang(), gemm, 7, "triton_block_gemm"), HasSubstr("say nothing of"));
}

TEST(PinsEngineDefault, AnotherVersionIsRefusedWithThoseThereAre) {
  const auto all = LoadEngineRules(test::ShippedFamilyFolder().parent_path() / "defaults");
  ASSERT_TRUE(all.ok()) << all.error().detail;
  const auto found = FindEngineRules(*all, "vllm@0.11.0");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, "no_default_rule");
  EXPECT_EQ(found.error().detail,
            "engine: what 'vllm@0.11.0' runs untuned is not known; there are sglang@6ed5780c4f "
            "(2026-08-22), vllm@238c4c1705 (2025-09-16)");
}

TEST(PinsEngineDefault, WhatIsGivenIsWhatTheRulesAskFor) {
  Facts facts;
  EXPECT_TRUE(AddGiven(Vllm(), "group:128,top_k:8", facts).ok());
  EXPECT_EQ(facts, (Facts{{"group", "128"}, {"top_k", "8"}}));
  for (const char* wrong : {"marlin:0", "platform:1", "group", "group:", "group:-1", "group:x"}) {
    EXPECT_FALSE(AddGiven(Vllm(), wrong, facts).ok()) << wrong;
  }
  EXPECT_THAT(AddGiven(Sglang(), "group:1", facts).error().detail,
              HasSubstr("they ask for marlin, shared_memory"));
}

}  // namespace
}  // namespace tunehub::pins
