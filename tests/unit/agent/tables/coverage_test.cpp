#include <nlohmann/json.hpp>

#include "agent/tables/commands.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {
namespace {

const std::string kTable =
    std::string(kBlockscaleHeader) +
    "gfx942,304,16,1280,5120,ck,0,0,900.0,a8w8_blockscale_1x128x128_k16,0,0,0.0\n"
    "gfx942,304,112,1280,5120,ck,0,0,901.0,a8w8_blockscale_1x128x128_k112,0,0,0.0\n";

class AgentLookup : public testing::Test {
 protected:
  LookupOptions Asked(std::vector<std::string> shape) const {
    LookupOptions options;
    options.tables = {table_};
    options.gfx = "gfx942";
    options.shape = std::move(shape);
    return options;
  }
  CoverageOptions Covered(const std::string& grid) const {
    CoverageOptions options;
    options.tables = {table_};
    options.gfx = "gfx942";
    options.model = "qwen3-vl-32b";
    options.family = "a8w8_blockscale";
    options.tp = 8;
    options.grid = grid;
    return options;
  }
  static Ran Say(const LookupOptions& options) { return RunCommand(LookUp, options); }
  static Ran Say(const CoverageOptions& options) { return RunCommand(Coverage, options); }

  const TempFolder folder_;
  const std::string table_ = folder_.Write("a8w8_blockscale_tuned_gemm.csv", kTable);
};

TEST_F(AgentLookup, says_which_row_is_found_and_why) {
  const Ran ran = Say(Asked({"M=100", "N=1280", "K=5120"}));
  EXPECT_EQ(ran.code, kGood) << ran.err;
  EXPECT_EQ(
      ran.out,
      "gl0: M=112 libtype=ck kernelId=0 splitK=0 kernelName=a8w8_blockscale_1x128x128_k112 "
      "us=901.0 standing=measured\n  tried exact: the shape itself, M=100: no row\n  tried gl0: M "
      "rounded up on the fine grid, M=112: a row\n  to tune: {\"M\":112,\"N\":1280,\"K\":5120}\n");
}

TEST_F(AgentLookup, a_shape_without_a_row_is_a_finding) {
  LookupOptions options = Asked({"M=1000", "N=1280", "K=5120"});
  EXPECT_EQ(Say(options).code, kFinding);
  options.json = true;
  const auto json = nlohmann::json::parse(Say(options).out);
  EXPECT_EQ(json.at("step"), "default");
  EXPECT_EQ(json.at("tried").size(), 2U);
}

TEST_F(AgentLookup, what_is_wrong_is_said_in_one_sentence) {
  EXPECT_EQ(Say(Asked({"M=0", "N=1280", "K=5120"})).code, kFailed);
  EXPECT_THAT(Say(Asked({"M=0", "N=1", "K=1"})).err, HasSubstr("(out_of_range)"));
  EXPECT_THAT(Say(Asked({"M=1", "N=1"})).err, HasSubstr("(missing_column)"));
  EXPECT_THAT(Say(Asked({"M"})).err, HasSubstr("(bad_shape)"));
  LookupOptions options = Asked({"M=1", "N=1", "K=1"});
  options.gfx = "gfx90a";
  EXPECT_THAT(Say(options).err, HasSubstr("(bad_cu_num)"));
  options.gfx = "gfx943";
  EXPECT_THAT(Say(options).err, HasSubstr("did you mean gfx942? (bad_gfx)\n"));
  options.gfx = "MI300X";
  options.cu_num = 256;
  EXPECT_THAT(Say(options).err, HasSubstr("MI300X has 304 CUs"));
  options.tables = {folder_ / "none.csv"};
  EXPECT_THAT(Say(options).err, HasSubstr("none.csv"));
}

TEST_F(AgentLookup, coverage_of_a_model_is_counted_by_bucket) {
  const Ran ran = Say(Covered("1,16,100"));
  EXPECT_EQ(ran.code, kFinding);
  EXPECT_EQ(ran.out,
            R"(MI300X / MI325X (gfx942:304)
bucket          shapes      exact        gl0        gl1       tier    nearest   baseline unmeasured    missing
1-1                  4          0          1          0          0          0          0          0          3
9-16                 4          1          0          0          0          0          0          0          3
65-128               4          0          1          0          0          0          0          0          3
all                 12          1          2          0          0          0          0          0          9
25.0 % covered, the mean of the buckets; exact 8.3 %
)");
}

TEST_F(AgentLookup, coverage_is_json_or_csv_too) {
  CoverageOptions options = Covered("16");
  options.json = true;
  EXPECT_EQ(nlohmann::json::parse(Say(options).out).at("totals").at("exact"), 1);
  options.json = false;
  options.csv = true;
  options.states = {"exact"};
  EXPECT_EQ(Say(options).out,
            "M,N,K,state,demand,step,row_M,us,kernelName\n"
            "16,1280,5120,exact,0,exact,16,900.0,a8w8_blockscale_1x128x128_k16\n");
  options.states = {"lost"};
  EXPECT_THAT(Say(options).err, HasSubstr("(bad_state)"));
}

TEST_F(AgentLookup, coverage_of_a_checkpoint_is_of_every_table_that_the_engine_reads) {
  CoverageOptions options = Covered("16,112");
  options.family = "";
  options.model = "Qwen/Qwen3-VL-32B-Instruct-FP8";
  const Ran ran = Say(options);
  EXPECT_EQ(ran.code, kFinding) << ran.err;
  EXPECT_TRUE(ran.out.starts_with("MI300X / MI325X (gfx942:304), vLLM\na8w8_blockscale\n"));
  EXPECT_THAT(
      ran.out,
      HasSubstr("2 of 8 shapes are covered by some row; no build was checked\n25.0 % covered"));
  EXPECT_THAT(ran.out, HasSubstr("no table serves lm_head: vLLM reads no tuned table of AITER for "
                                 "dense matrix products stored as bf16\n"));
  options.engine = "sglang";
  options.json = true;
  const auto json = nlohmann::json::parse(Say(options).out);
  EXPECT_EQ(json.at("coverage").at("shapes"), 10) << "SGLang reads the bf16 table for lm_head";
  EXPECT_EQ(json.at("families").size(), 2U);
  EXPECT_TRUE(json.at("unread").empty());
  options.engine = "tgi";
  EXPECT_THAT(Say(options).err, HasSubstr("unknown engine 'tgi'; known engines: vllm, sglang"));
  options.engine = "";
  options.tp = 7;
  EXPECT_THAT(Say(options).err, HasSubstr("(bad_tp)"));
}

TEST_F(AgentLookup, coverage_of_an_untuned_table) {
  CoverageOptions options = Covered("16");
  options.untuned = folder_.Write("untuned.csv", "M,N,K,count\n16,1280,5120,3\n112,1280,5120,1\n");
  EXPECT_EQ(Say(options).code, kGood);
  EXPECT_THAT(Say(options).out,
              HasSubstr("100.0 % covered, the mean of the buckets; exact 100.0 %; "));
  options.untuned = folder_.Write("zero.csv", "M,N,K\n16,1280,5120\n0,1,1\n");
  EXPECT_THAT(Say(options).err, HasSubstr("zero.csv:3: M: "));
}

}  // namespace
}  // namespace tunehub::agent::test
