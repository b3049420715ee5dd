// A run's device and toolchain, and tables filtered by them.
#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

constexpr char kTable[] = "a8w8_blockscale_tuned_gemm.csv";
std::string Blockscale(const std::string& m, const std::string& kernel) {
  return "gfx942,304," + m + ",1280,8192,ck,1,0,10.0," + kernel + ",0,0,0.0\n";
}

class RunDescriptionTest : public HubTest {
 protected:
  RawAnswer Import(const std::string& run, const std::string& rows, const std::string& source) {
    return SendTree(Submitter(), "source=" + source, {{"run.json", run}, {kTable, kHeader + rows}});
  }
};

TEST_F(RunDescriptionTest, an_import_says_where_and_with_what_its_rows_were_measured) {
  Good(Import(R"({"product":"MI300X","triton":"3.4.0","started":"2026-01-01T00:00:00Z"})",
              Blockscale("16", "of_mi300x") + Blockscale("32", "of_mi300x"), "one"));
  Good(Import(R"({"pci_id":"1002:74a5","triton":"3.5.1","engine":"vllm@0.11.0"})",
              Blockscale("16", "of_mi325x"), "two"));
  const auto table = [&](const std::string& query) {
    return Open().Get("/tuned/a8w8_blockscale?" + query).body;
  };
  EXPECT_EQ(table("device=MI325X"), kHeader + Blockscale("16", "of_mi325x"));
  EXPECT_EQ(table("device=1002:74a5"), table("device=MI325X"));
  EXPECT_EQ(table("device=MI300X&device=MI325X"), table("allow_empty=1"));
  EXPECT_EQ(table("device=AMD_Instinct_MI300X"),
            kHeader + Blockscale("16", "of_mi300x") + Blockscale("32", "of_mi300x"));
  EXPECT_EQ(table("triton=3.5&engine=vllm"), table("device=MI325X"));
  EXPECT_EQ(table("prefer=device=MI325X"),
            kHeader + Blockscale("16", "of_mi325x") + Blockscale("32", "of_mi300x"));
  const auto taken = Open().Get("/tuned/a8w8_blockscale?device=MI325X");
  EXPECT_EQ(taken.Header("tunehub-provenance"), "matching=1, unknown=0, other=2");
  EXPECT_THAT(JsonOf(Open().Get("/runs")).at("runs").at(1).at("started").get<std::string>(),
              HasSubstr("2026-01-01T00:00:00"));
}

TEST_F(RunDescriptionTest, a_bad_member_of_run_json_is_named_and_nothing_is_stored) {
  const auto refused = Import(R"({"prodct":"MI300X"})", Blockscale("64", "k"), "one");
  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(refused.body, HasSubstr("run.json: 'prodct': is unknown; expected "));
  EXPECT_EQ(Import("[]", Blockscale("64", "k"), "one").status, 422);
  EXPECT_EQ(Open().Get("/tuned/a8w8_blockscale?M=64").status, 404);
}

TEST_F(RunDescriptionTest, a_fact_without_a_member_is_kept_by_its_name) {
  const auto made =
      Submitter().Post("/runs", R"({"facts":{"async_copy":1,"aiter_branch":"main"}})");
  ASSERT_LT(made.status, 300) << made.body;
  const Json run = JsonOf(Open().Get("/runs/" + std::to_string(JsonOf(made).at("id").get<int>())));
  EXPECT_EQ(run.at("provenance"), Json::parse(R"({"async_copy":"1","aiter_branch":"main"})"));
  const std::pair<const char*, const char*> kRefused[] = {
      {R"({"facts":"x"})", "'facts': must be an object"},
      {R"({"facts":{"triton_version":"3.4"}})",
       "'facts.triton_version': use the member 'triton' instead"},
      {R"({"facts":{"started":"now"}})", "'facts.started': use the member 'started' instead"},
      {R"({"facts":{"a b":"c"}})",
       "'facts.a b': the name must be a letter, then letters, digits, '_', '-' and '.'"},
      {R"({"facts":{"packages":{"x":1}}})", R"('facts.packages': {\"x\":1} must be a text)"}};
  for (const auto& [body, why] : kRefused) {
    const auto refused = Submitter().Post("/runs", body);
    EXPECT_EQ(refused.status, 422) << refused.body;
    EXPECT_THAT(refused.body, HasSubstr(why));
  }
}

TEST_F(RunDescriptionTest, a_device_column_is_filtered_by_a_product_or_one_exact_name) {
  const std::string columns =
      "engine,device,N,K,dtype,input_dtype,out_dtype,block_n,block_k,M,config,us\n";
  const auto row = [](const std::string& device) {
    return "vllm," + device + R"(,512,7168,fp8_w8a8,,,128,128,1,"{""num_warps"":4}",)" + "\n";
  };
  const std::string chip = row("AMD_Instinct_MI325X"), module = row("AMD_Instinct_MI325_OAM"),
                    sibling = row("AMD_Instinct_MI300X"), nobodys = row("AMD_Radeon_Graphics");
  SendTree(Submitter(), "",
           {{"triton_block_gemm.csv", columns + chip + module + sibling + nobodys}});
  const auto table = [&](const std::string& query) {
    return Open().Get("/tuned/triton_block_gemm?" + query).body;
  };
  EXPECT_EQ(table("device=MI325X"), columns + chip + module);
  EXPECT_EQ(table("device=AMD_Instinct_MI325_OAM"), columns + module);
  EXPECT_EQ(table("device=AMD_Radeon_Graphics"), columns + nobodys);
  EXPECT_EQ(table("engine=vllm&device=MI300X"), columns + sibling);
  EXPECT_EQ(Open().Get("/tuned/triton_block_gemm?run.triton=3.5").status, 404)
      << "no run states this version";
  EXPECT_EQ(Open().Get("/tuned/triton_block_gemm?run.gfx=gfx942").status, 400);
}

TEST_F(RunDescriptionTest, the_index_names_the_products_of_each_target) {
  const auto index = JsonOf(Open().Get("/tuned"));
  EXPECT_EQ(index.at("products").at("gfx942:304"), "MI300X / MI325X");
  EXPECT_EQ(index.at("products").at("gfx942:80"), "MI308X");
}

}  // namespace
}  // namespace tunehub::test
