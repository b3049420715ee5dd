#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/tables/commands.h"
#include "tests/support/shipped.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {
namespace {

using Json = nlohmann::json;

std::vector<std::string> QwenTables() {
  std::vector<std::string> files;
  for (const auto& file : tunehub::test::RealTunedFiles()) {
    const std::string name = file.filename().string();
    if (name == "a8w8_blockscale_tuned_gemm_qwen3_vl_32b.csv" ||
        name == "a8w8_blockscale_tuned_gemm_qwen36_27b.csv") {
      files.push_back(file.string());
    }
  }
  return files;
}

const Json* ModelOf(const Json& report, const std::string& name, int tp) {
  for (const Json& model : report.at("models")) {
    const auto& models = model.at("models");
    if (std::count(models.begin(), models.end(), name) == 1 && model.at("tp") == tp) return &model;
  }
  return nullptr;
}

TEST(AgentHeuristic, reproduces_the_published_match_rates) {
  HeuristicOptions options;
  options.tables = QwenTables();
  options.json = true;
  if (options.tables.size() != 2) GTEST_SKIP() << tunehub::test::NoRealTables();
  const Ran ran = RunCommand(ScoreHeuristic, options);
  ASSERT_EQ(ran.code, kGood) << ran.err;
  const Json report = Json::parse(ran.out);
  const struct {
    const char* model;
    int tp, matches, rows;
  } published[] = {{"qwen3-vl-32b", 8, 2642, 2724},
                   {"qwen3-vl-32b", 4, 2680, 2724},
                   {"qwen3.6-27b", 8, 2648, 2724},
                   {"qwen3.6-27b", 4, 3346, 3405},
                   {"qwen3.6-27b", 2, 3356, 3405}};
  for (const auto& it : published) {
    const Json* const model = ModelOf(report, it.model, it.tp);
    ASSERT_NE(model, nullptr) << it.model << it.tp;
    EXPECT_EQ(model->at("matches"), it.matches) << it.model << it.tp;
    EXPECT_EQ(model->at("rows"), it.rows) << it.model << it.tp;
  }
  for (const Json& shape : report.at("shapes")) {
    if (shape.at("shape") != "N=1280 K=5120") continue;
    EXPECT_EQ(shape.at("matches"), 642);
  }
  EXPECT_GT(report.at("always_kernel_0").at("share"), 0.95);
  EXPECT_LT(report.at("default").at("share"), 0.001);
  EXPECT_EQ(report.at("heuristic").at("m_buckets").size(), 14U);
  options.json = false;
  const Ran table = RunCommand(ScoreHeuristic, options);
  EXPECT_THAT(table.out, testing::ContainsRegex("\nM above 4096 +15418 "));
  EXPECT_THAT(table.out, HasSubstr("\ntotal    "));
}

TEST(AgentHeuristic, a_learned_tree_is_a_file_that_score_takes) {
  HeuristicOptions options;
  options.tables = QwenTables();
  options.json = true;
  if (options.tables.size() != 2) GTEST_SKIP() << tunehub::test::NoRealTables();
  const TempFolder folder;
  options.output = folder / "tree.json";
  const Ran learned = RunCommand(LearnHeuristic, options);
  ASSERT_EQ(learned.code, kGood) << learned.err;
  const Json report = Json::parse(learned.out);
  EXPECT_LE(report.at("leaves"), 24);
  EXPECT_GT(report.at("left_out").at("balanced"), report.at("written_down").at("balanced"));
  const std::string first = ReadText(options.output);
  RunCommand(LearnHeuristic, options);
  EXPECT_EQ(ReadText(options.output), first) << "equal rows give an equal file";
  options.tree = options.output;
  const Ran scored = RunCommand(ScoreHeuristic, options);
  ASSERT_EQ(scored.code, kGood) << scored.err;
  EXPECT_EQ(Json::parse(scored.out).at("heuristic").at("matches"), report.at("seen").at("matches"));
}

// The heuristic chooses "mid". For M = 64 no run measured the default.
TEST(AgentHeuristic, compares_default_heuristic_and_tuned_where_all_three_were_measured) {
  const TempFolder folder;
  HeuristicOptions options;
  options.tables = {
      folder.Write("a8w8_blockscale_tuned_gemm.csv",
                   kBlockscaleHeader + BlockscaleRow(16, "40", "slow") +
                       BlockscaleRow(16, "20", "mid") + BlockscaleRow(16, "10", "fast") +
                       BlockscaleRow(32, "30", "slow") + BlockscaleRow(32, "15", "mid") +
                       BlockscaleRow(64, "15", "mid") + BlockscaleRow(64, "5", "fast"))};
  options.tree = folder.Write("tree.json", R"({"family": "a8w8_blockscale", "tree":
      {"choose": {"libtype": "ck", "splitK": "0", "kernelName": "mid"}}})");
  EXPECT_THAT(
      RunCommand(ScoreHeuristic, options).out,
      HasSubstr("three-way comparison: the untuned kernel is unknown (name it by --default)\n"));
  options.untuned = "slow";
  EXPECT_THAT(
      RunCommand(ScoreHeuristic, options).out,
      HasSubstr("three-way comparison: 2 shapes with times of default, heuristic and tuned\n"
                "heuristic over default    2.000\n"
                "tuned over default        2.828\n"
                "tuned over heuristic      1.414\n"));
  options.json = true;
  const Json report = Json::parse(RunCommand(ScoreHeuristic, options).out);
  EXPECT_EQ(report.at("heuristic").at("three_way").at("keys"), 2);
  EXPECT_EQ(report.at("heuristic").at("three_way").at("tuned_over_default"), 2.8284);
  options.untuned = "none";
  EXPECT_THAT(RunCommand(ScoreHeuristic, options).err, HasSubstr("(no_candidate)"));
}

TEST(AgentHeuristic, exports_what_is_written_down_and_nothing_of_a_wrong_file) {
  const TempFolder folder;
  HeuristicOptions options;
  options.family = "a8w8_blockscale";
  options.output = folder / "out";
  options.tree = folder.Write("tree.json", R"({"family": "a8w8_blockscale", "tree":
      {"choose": {"splitK": "0", "kernelName": "a\");exit(9)//"}}})");
  const Ran refused = RunCommand(ExportHeuristic, options);
  EXPECT_EQ(refused.code, kFailed);
  EXPECT_THAT(refused.err, HasSubstr("/tree/choose/kernelName: "));
  EXPECT_FALSE(std::filesystem::exists(options.output));
  options.tree.clear();
  const Ran ran = RunCommand(ExportHeuristic, options);
  EXPECT_EQ(ran.code, kGood) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("out/a8w8_blockscale_heuristic.py\n"));
  const Json instances = Json::parse(ReadText(folder / "out/a8w8_blockscale_instances.json"));
  EXPECT_EQ(instances.at("instances").size(), 8U);
  for (const char* file : {"out/a8w8_blockscale_heuristic.h", "out/a8w8_blockscale_heuristic.py"})
    EXPECT_THAT(ReadText(folder / file), HasSubstr("307200.0")) << file;
  options.family = "bf16";
  EXPECT_THAT(RunCommand(ExportHeuristic, options).err, HasSubstr("(no_heuristic)"));
}

TEST(AgentHeuristic, what_is_wrong_is_said_in_one_sentence) {
  const TempFolder folder;
  HeuristicOptions options;
  options.output = folder / "tree.json";
  options.tables = {
      folder.Write("a8w8_blockscale_tuned_gemm.csv", kBlockscaleHeader + BlockscaleRow(16, "8.5"))};
  EXPECT_EQ(RunCommand(ScoreHeuristic, options).code, kGood);
  EXPECT_THAT(RunCommand(LearnHeuristic, options).err, HasSubstr("(too_few_rows)"));
  EXPECT_FALSE(std::filesystem::exists(options.output));
  options.gfx = "gfx950";
  EXPECT_EQ(RunCommand(ScoreHeuristic, options).err,
            "tunehub-agent heuristic: the tables have no row of this target, only of gfx942:304 "
            "(no_rows)\n");
  options.gfx.clear();
  options.tree = folder.Write("tree.json", "{}");
  EXPECT_THAT(RunCommand(ScoreHeuristic, options).err,
              HasSubstr("/family: is missing (bad_heuristic)"));
  options.tree.clear();
  options.tables = {folder / "absent.csv"};
  EXPECT_THAT(RunCommand(ScoreHeuristic, options).err, HasSubstr("(file_not_found)"));
  options.tables = {folder.Write("bf16_tuned_gemm.csv",
                                 "gfx,cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,libtype,"
                                 "solidx,splitK,us,kernelName,err_ratio,tflops,bw\n")};
  EXPECT_THAT(RunCommand(ScoreHeuristic, options).err,
              HasSubstr("configs/heuristics has no heuristic for bf16"));
}

}  // namespace
}  // namespace tunehub::agent::test
