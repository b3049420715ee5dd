// tunehub-agent check: the files of a tree that it reads, and its findings.
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "agent/aiter/aiter_tree.h"
#include "agent/tables/commands.h"
#include "build_info.h"
#include "tests/support/result.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {
namespace {

using testing::Not;

class AgentCheck : public CommandTest {
 protected:
  int Run(const std::vector<std::string>& paths, bool all = false, bool json = false) {
    console_.out.str("");
    return Check(configuration_, {paths, "", all, json}, console_.console);
  }
  std::string Said() const { return console_.out.str(); }
};

TEST_F(AgentCheck, reads_the_default_file_and_model_files_by_their_token) {
  folder_.Write("aiter/configs/a8w8_blockscale_tuned_gemm.csv", "");
  folder_.Write("aiter/configs/other_a8w8_blockscale_tuned_gemm.csv", "");
  folder_.Write("aiter/configs/a8w8_blockscale_untuned_gemm.csv", "");
  folder_.Write("aiter/configs/model_configs/x_a8w8_blockscale_tuned_gemm_y.csv", "");
  folder_.Write("aiter/configs/model_configs/x_untuned_a8w8_blockscale_tuned_gemm.csv", "");
  folder_.Write("aiter/configs/model_configs/deep/z_a8w8_blockscale_tuned_gemm.csv", "");
  folder_.Write("aiter/configs/.tunehub-backup/model_configs/w_tuned_fmoe.csv", "");
  const auto tree = Must(ReadAiterTree(configuration_.families, folder_.path()));
  ASSERT_EQ(tree.families.size(), 1u);
  std::vector<std::string> names;
  for (const TreeFile& file : tree.families[0].files) names.push_back(file.name);
  EXPECT_THAT(names, testing::ElementsAre("a8w8_blockscale_tuned_gemm.csv",
                                          "model_configs/x_a8w8_blockscale_tuned_gemm_y.csv"));
}

TEST_F(AgentCheck, a_clean_tree_is_good_and_warnings_alone_are_too) {
  folder_.Write("a8w8_blockscale_tuned_gemm.csv", kBlockscaleHeader + BlockscaleRow(16, "4.5"));
  EXPECT_EQ(Run({folder_.path()}), kGood);
  folder_.Write("a8w8_blockscale_tuned_gemm.csv", kBlockscaleHeader + BlockscaleRow(19, "4.5"));
  EXPECT_EQ(Run({folder_.path()}), kGood);
  EXPECT_THAT(Said(), HasSubstr("  warning m_off_grid: 1\n"));
}

// A pipe that is filled and closed before the command reads it, as with `cat table | ...`.
class Pipe {
 public:
  explicit Pipe(const std::string& bytes) {
    if (::pipe(ends_) != 0 || ::write(ends_[1], bytes.data(), bytes.size()) < 0) ::abort();
    ::close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() { ::close(ends_[0]); }
  std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }

 private:
  int ends_[2] = {-1, -1};
};

TEST_F(AgentCheck, reads_a_table_from_a_pipe) {
  const Pipe pipe(kBlockscaleHeader + BlockscaleRow(16, "4.5") + BlockscaleRow(32, "-1"));
  CheckOptions options;
  options.paths = {pipe.path()};
  options.family = "a8w8_blockscale";
  EXPECT_EQ(Check(configuration_, options, console_.console), kFinding);
  EXPECT_THAT(Said(), HasSubstr("a8w8_blockscale: 1 files, 2 rows\n"));
  EXPECT_THAT(Said(), HasSubstr("  quarantined failed: 1\n"));
}

TEST_F(AgentCheck, warns_of_a_table_that_aiter_does_not_read_by_its_name) {
  folder_.Write("a8w8_blockscale_tuned_gemm.csv", kBlockscaleHeader + BlockscaleRow(16, "4.5"));
  const auto misnamed =
      folder_.Write("model_configs/x_blockscale_gemm.csv",
                    kBlockscaleHeader + BlockscaleRow(32, "4.5", "a8w8_blockscale_1x128x128_k"));
  folder_.Write("model_configs/x_a8w8_blockscale_untuned_gemm.csv", "M,N,K\n16,1280,8192\n");
  folder_.Write("model_configs/notes.csv", "some,notes\n1,2\n");
  EXPECT_EQ(Run({folder_.path()}), kGood);
  EXPECT_THAT(Said(), HasSubstr("  warning misnamed: 1\n    " + misnamed +
                                ":1: the header is that of a8w8_blockscale, but AITER reads only "
                                "files whose names contain 'a8w8_blockscale_tuned_gemm'\n"));
}

TEST_F(AgentCheck, names_each_table_that_it_does_not_read_and_takes_none_for_a_familys) {
  const std::string table =
      kBlockscaleHeader + BlockscaleRow(16, "4.5", "a8w8_blockscale_1x128x128_k");
  folder_.Write("configs/a8w8_blockscale_tuned_gemm.csv", table);
  const auto foreign = folder_.Write("configs/a8w8_wide_tuned_gemm.csv", table);
  const auto named = folder_.Write("configs/new_a8w8_blockscale_tuned_gemm.csv", table);
  const auto deep = folder_.Write("configs/model_configs/deep/x_bf16_tuned_gemm.csv", table);
  folder_.Write("configs/.backup/y_bf16_tuned_gemm.csv", table);
  folder_.Write("configs/wide_untuned_gemm.csv", "M,N,K\n16,1280,8192\n");
  EXPECT_EQ(Run({folder_.path()}), kGood) << console_.err.str();
  EXPECT_THAT(Said(), HasSubstr("a8w8_blockscale: 1 files, 1 rows\n"));
  EXPECT_THAT(Said(), HasSubstr("not read: " + foreign + ": its name is a tuned table's name"));
  EXPECT_THAT(Said(), HasSubstr("not read: " + named + ": AITER reads only"));
  EXPECT_THAT(Said(), HasSubstr("not read: " + deep + ": AITER reads configs/ and model_configs/"));
  EXPECT_THAT(Said(), HasSubstr("0 warnings; 3 tables not read\n"));
  EXPECT_EQ(Run({folder_.path()}, false, true), kGood);
  EXPECT_EQ(nlohmann::json::parse(Said())["unread"].size(), 3U);
  EXPECT_EQ(Run({foreign}), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr(foreign + ": its name is a tuned table's name"));
  std::filesystem::remove(folder_ / "configs/a8w8_blockscale_tuned_gemm.csv");
  EXPECT_EQ(Run({folder_.path()}), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("\nAITER does not read " + foreign + ", " + named));
}

TEST_F(AgentCheck, reads_a_folder_of_model_tables) {
  const std::string table = kBlockscaleHeader + BlockscaleRow(16, "4.5");
  folder_.Write("new_a8w8_blockscale_tuned_gemm.csv", table);
  const auto foreign = folder_.Write("new_wide_tuned_gemm.csv", table);
  folder_.Write("tunableop_results0.csv", "Validator,PT_VERSION,2.8.0\n");
  EXPECT_EQ(Run({folder_.path()}), kGood) << console_.err.str();
  EXPECT_THAT(Said(), HasSubstr("a8w8_blockscale: 1 files, 1 rows\n"));
  EXPECT_THAT(Said(), HasSubstr("not read: " + foreign));
  EXPECT_THAT(Said(), Not(HasSubstr("tunableop: ")));
}

TEST_F(AgentCheck, warns_of_a_gpu_that_nobody_has) {
  std::string row = BlockscaleRow(16, "4.5");
  row.replace(row.find("gfx942"), 6, "gfx999");
  folder_.Write("a8w8_blockscale_tuned_gemm.csv", kBlockscaleHeader + row);
  EXPECT_EQ(Run({folder_.path()}), kGood);
  EXPECT_THAT(Said(), HasSubstr("  warning unknown_gfx: 1\n"));
  EXPECT_THAT(Said(), HasSubstr(":2: gfx: no known GPU has the architecture gfx999"));
}

TEST_F(AgentCheck, strict_fails_on_what_aiters_table_test_fails_on) {
  const auto strict = [&](const std::string& rows) {
    folder_.Write("a8w8_blockscale_tuned_gemm.csv", kBlockscaleHeader + rows);
    console_.out.str("");
    CheckOptions options;
    options.paths = {folder_.path()};
    EXPECT_EQ(Check(configuration_, options, console_.console), kGood) << rows;
    options.strict = true;
    return Check(configuration_, options, console_.console);
  };
  EXPECT_EQ(strict(BlockscaleRow(16, "4.5") + BlockscaleRow(32, "inf")), kGood);
  EXPECT_EQ(strict(BlockscaleRow(16, "4.5") + BlockscaleRow(32, "0")), kFinding);
  EXPECT_THAT(Said(), HasSubstr("  unmeasured us_zero: 1\n"));
  EXPECT_THAT(Said(), HasSubstr("  table test time_not_positive: 1\n"));
  EXPECT_THAT(Said(), HasSubstr(":3: us: the time is 0 us; expected a time above 0\n"));
  std::string elsewhere = BlockscaleRow(16, "5.5");
  elsewhere.replace(elsewhere.find("gfx942"), 6, "gfx950");
  EXPECT_EQ(strict(BlockscaleRow(16, "4.5") + elsewhere), kFinding);
  EXPECT_THAT(Said(), HasSubstr("  table test duplicate_without_gfx: 1\n"));
  EXPECT_THAT(Said(),
              HasSubstr(":3: the row in line 2 has the same shape key, except for the gfx\n"));
}

TEST_F(AgentCheck, finds_a_duplicate_across_files) {
  const auto a =
      folder_.Write("a8w8_blockscale_tuned_gemm.csv", kBlockscaleHeader + BlockscaleRow(16, "4.5"));
  const auto b = folder_.Write("model_configs/m_a8w8_blockscale_tuned_gemm.csv",
                               kBlockscaleHeader + BlockscaleRow(16, "4.25"));
  EXPECT_EQ(Run({folder_.path()}), kFinding);
  EXPECT_THAT(Said(), HasSubstr("kept     " + b + ":2 us=4.25"));
  EXPECT_THAT(Said(), HasSubstr("dropped  " + a + ":2 us=4.5"));
}

TEST_F(AgentCheck, reports_a_refused_file_and_reads_the_others) {
  folder_.Write("a8w8_blockscale_tuned_gemm.csv", kBlockscaleHeader + BlockscaleRow(16, "4.5"));
  folder_.Write("model_configs/m_a8w8_blockscale_tuned_gemm.csv", "gfx,cu_num,M,N\n");
  EXPECT_EQ(Run({folder_.path()}), kFinding);
  EXPECT_THAT(Said(), HasSubstr("  refused missing_column: "));
  EXPECT_THAT(Said(), HasSubstr("a8w8_blockscale: 2 files, 1 rows\n"));
}

TEST_F(AgentCheck, lists_the_first_rows_of_each_kind_and_all_on_demand) {
  std::string csv = kBlockscaleHeader;
  for (int i = 0; i < 7; ++i) csv += "gfx942,304,x" + std::to_string(i) + ",1,1,ck,7,0,4,k,1,1,0\n";
  folder_.Write("a8w8_blockscale_tuned_gemm.csv", csv);
  EXPECT_EQ(Run({folder_.path()}), kFinding);
  EXPECT_THAT(Said(), HasSubstr("and 2 more (--all)"));
  EXPECT_THAT(Said(), Not(HasSubstr("csv:8:")));
  EXPECT_EQ(Run({folder_.path()}, true), kFinding);
  EXPECT_THAT(Said(), HasSubstr("csv:8: M: "));
}

TEST_F(AgentCheck, checks_single_files_by_their_content) {
  const auto a = folder_.Write("mine.csv", "gfx,cu_num,B,M\n");
  EXPECT_EQ(Run({a}), kFailed);  // no family has that header
  const auto b = folder_.Write("mine_too.csv",
                               "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,tflops,bw,"
                               "errRatio\ngfx942,304,16,8,8,torch.int8,1,0,5,k,1,1,0\n");
  EXPECT_EQ(Run({b}), kGood) << console_.err.str();
  EXPECT_THAT(Said(), HasSubstr("a8w8: 1 files, 1 rows\n"));
}

TEST_F(AgentCheck, says_what_it_looked_for_in_a_folder_without_tables) {
  EXPECT_EQ(Run({folder_.path()}), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("no tuned table of AITER"));
}

// The figures of AITER's published tree at commit e4048607a5, if it is available.
TEST_F(AgentCheck, finds_the_known_anomalies_of_the_published_tree) {
  const char* const variable = std::getenv("TUNEHUB_DATA");
  const std::filesystem::path data =
      variable != nullptr ? variable : TUNEHUB_SOURCE_DIR "/../shared/data";
  if (!std::filesystem::is_directory(data / "aiter" / "configs")) {
    GTEST_SKIP() << "NOT TESTED: no published AITER tree in " << data << " (set TUNEHUB_DATA)";
  }
  EXPECT_EQ(Run({(data / "aiter").string()}, false, true), kFinding);
  const auto report = nlohmann::json::parse(Said());
  EXPECT_EQ(report["refused_count"], 0);
  EXPECT_EQ(report["rejected_count"], 0);
  std::map<std::string, nlohmann::json> families;
  for (const auto& family : report["families"]) families[family["family"]] = family;
  EXPECT_EQ(families.size(), 13u);
  ASSERT_EQ(families["grouped_fmoe"]["duplicates"].size(), 1u);
  EXPECT_EQ(families["grouped_fmoe"]["duplicates"][0]["identical"], false);
  EXPECT_EQ(families["a8w8_blockscale"]["duplicates"].size(), 0u);
  std::map<std::string, int> unmeasured;
  for (const auto& row : families["a8w8_bpreshuffle"]["unmeasured"]) ++unmeasured[row["code"]];
  EXPECT_EQ(unmeasured["us_placeholder"], 6);
  EXPECT_EQ(unmeasured["us_infinite"], 1);
  unmeasured.clear();
  for (const auto& row : families["bf16"]["unmeasured"]) ++unmeasured[row["code"]];
  EXPECT_EQ(unmeasured["us_zero"], 242);  // 114 in dsv3_bf16, 128 in gptoss_bf16
}

}  // namespace
}  // namespace tunehub::agent::test
