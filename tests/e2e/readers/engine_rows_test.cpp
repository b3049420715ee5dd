// The hub imports, judges and serves rows from an engine's own files like all other rows.
#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

using EngineRowsTest = HubTest;

const std::string kBig = R"("{""BLOCK_SIZE_M"":64,""num_warps"":4}")";
const std::string kSmall = R"("{""BLOCK_SIZE_M"":16,""num_warps"":4}")";
const std::string kSmallTurned = R"("{""num_warps"":4,""BLOCK_SIZE_M"":16}")";

std::string MoeRow(const std::string& engine, const std::string& device, const std::string& m,
                   const std::string& config, const std::string& us = "") {
  return engine + "," + device + ",,8,7168,fp8_w8a8,0,0,0,0,," + m + "," + config + "," + us + "\n";
}

nlohmann::json Import(const HttpClient& client, const std::string& file, const std::string& csv) {
  return JsonOf(SendTree(client, "", {{file, csv}}));
}

TEST_F(EngineRowsTest, a_declared_row_is_imported_and_served_by_its_engine_and_device) {
  const std::string rows = MoeRow("vllm", "AMD_Instinct_MI300X", "8", kBig) +
                           MoeRow("sglang", "AMD_Instinct_MI300X", "8", kSmall) +
                           MoeRow("vllm", "", "16", kBig);
  const auto receipt = Import(Submitter(), "triton_fused_moe.csv", kMoeHeader + rows);
  EXPECT_EQ(receipt.at("files").at(0).at("declared"), 3) << receipt;
  // Sorted by engine, then by device.
  EXPECT_EQ(Open().Get("/tuned/triton_fused_moe?E=8").body,
            kMoeHeader + MoeRow("vllm", "", "16", kBig) +
                MoeRow("vllm", "AMD_Instinct_MI300X", "8", kBig) +
                MoeRow("sglang", "AMD_Instinct_MI300X", "8", kSmall));
  EXPECT_EQ(Open().Get("/tuned/triton_fused_moe?provider=sglang").body,
            kMoeHeader + MoeRow("sglang", "AMD_Instinct_MI300X", "8", kSmall));
  EXPECT_EQ(Open().Get("/tuned/triton_fused_moe?device=").body,
            kMoeHeader + MoeRow("vllm", "", "16", kBig));
}

TEST_F(EngineRowsTest, the_other_readers_families_go_the_same_way) {
  const std::string gemm =
      "engine,device,N,K,dtype,input_dtype,out_dtype,block_n,block_k,M,config,us\n"
      "vllm,NVIDIA_H200,512,7168,fp8_w8a8,,,128,128,1," +
      kBig + ",\n";
  Import(Submitter(), "triton_block_gemm.csv", gemm);
  EXPECT_EQ(Open().Get("/tuned/triton_block_gemm").body, gemm);
  const std::string aiter = "engine,gfx,layout,op,B,N,K,sizes,bucket,config,us\n";
  const std::string place = "aiter,gfx942,gemm,GEMM-A16W16,,";
  const std::string any = place + "256,7168,,any," + kBig + ",\n";
  const std::string small = place + "256,7168,,M_LEQ_8," + kSmall + ",\n";
  const std::string fallback = place + ",,,any," + kSmall + ",\n";
  Import(Submitter(), "triton_gemm.csv", aiter + any + fallback + small);
  EXPECT_EQ(Open().Get("/tuned/triton_gemm?gfx=gfx942").body, aiter + fallback + small + any);
}

TEST_F(EngineRowsTest, members_in_another_order_are_one_candidate) {
  const auto post = [](const std::string& row) {
    return JsonOf(Submitter().Post("/results/triton_fused_moe", kMoeHeader + row));
  };
  post(MoeRow("vllm", "toy", "4", kSmall, "7.5"));
  post(MoeRow("vllm", "toy", "4", kSmallTurned, "8.5"));
  const auto shape = JsonOf(
      Open().Get("/shapes/triton_fused_moe?engine=vllm&device=toy&E=8&N=7168&dtype=fp8_w8a8&M=4"));
  int standing = 0;
  for (const auto& it : shape.at("measurements")) standing += it.at("won") != nullptr ? 1 : 0;
  EXPECT_EQ(standing, 1) << shape.dump(1);
  EXPECT_EQ(Open().Get("/tuned/triton_fused_moe?device=toy").body,
            kMoeHeader + MoeRow("vllm", "toy", "4", kSmallTurned, "8.5"))
      << "the candidate's latest run";
}

TEST_F(EngineRowsTest, a_json_row_has_its_config_as_an_object_both_ways) {
  const std::string config = R"({"b":1,"a":null,"c":".cg"})";
  const std::string body = R"({"rows": [{"engine": "vllm", "device": "json", "E": 8, "N": 7,
      "M": 4, "config": )" +
                           config + R"(, "us": 7.5, "searched": true}]})";
  Good(Submitter().Post("/results/triton_fused_moe", body, {{"Content-Type", "application/json"}}));
  const auto rows = nlohmann::ordered_json::parse(
      Open().Get("/tuned/triton_fused_moe?device=json&format=json").body);
  EXPECT_EQ(rows.at("rows").at(0).at("config").dump(), config);
}

TEST_F(EngineRowsTest, an_engine_that_nobody_knows_is_refused_with_its_row) {
  const auto receipt = JsonOf(
      Submitter().Post("/results/triton_fused_moe", kMoeHeader + MoeRow("trtllm", "x", "1", kBig)));
  EXPECT_EQ(receipt.at("rejected").at(0).at("code"), "not_in_enum") << receipt;
}

}  // namespace
}  // namespace tunehub::test
