#include <nlohmann/json.hpp>
#include <sstream>

#include "agent/base/terminal.h"
#include "agent/capture/explain_text.h"
#include "tests/support/shipped.h"
#include "tests/support/standin_tree.h"
#include "tests/support/tables.h"
#include "tests/unit/agent/capture/explain_support.h"

namespace tunehub::agent::test {
namespace {

using nlohmann::json;
using testing::Not;
using testing::StartsWith;

TEST_F(AgentExplain, rows_of_tables_are_found_as_a_lookup_finds_them) {
  const std::string kernel = "a8w8_blockscale_1x128x128_256x16x64x256";
  const std::string table =
      Table(BlockscaleRow(16, "10.0", kernel) + BlockscaleRow(64, "0", kernel));
  ExplainOptions options = On304(Missed(7) + Missed(7) + Missed(64) + Missed(500) + Missed(501));
  options.tables = {table};
  const Ran ran = InTables(options, options.tables);
  EXPECT_EQ(ran.code, kFinding);
  EXPECT_THAT(ran.out, HasSubstr("Looked in: " + table + "\n"));
  EXPECT_THAT(ran.out,
              HasSubstr("a8w8_blockscale: 4 shapes, missed 5 times; 1 with a tuned row, 3 without\n"
                        "  missed  shapes  tuned  M             of\n"
                        "       5       4      1  7-501         N=1280 K=8192\n"
                        "  1 shape has a tuned row (module: gemm_a8w8_blockscale). It works after "
                        "a restart if AITER was\n"
                        "  built with its kernel; otherwise AITER raises an error.\n"
                        "  (--aiter DIR looks at a build, and says which rows work in it)\n"
                        "  1 shape has a row that nobody has measured\n"
                        "  missing: 3 shapes have no tuned row; 2 rows are enough for all\n"));
  EXPECT_THAT(ran.out, HasSubstr("  export AITER_CONFIG_GEMM_A8W8_BLOCKSCALE=" + table + "\n"));
  EXPECT_THAT(ran.out, HasSubstr(" -o untuned\n")) << "the shapes without a row alone";
}

TEST_F(AgentExplain, untuned_tables_are_of_the_shapes_without_a_row) {
  ExplainOptions options = On304(Missed(7) + Missed(500));
  options.log.output = folder_ / "out";
  const Ran ran = InTables(options, {Table(BlockscaleRow(16, "10.0"))});
  EXPECT_EQ(ReadText(folder_ / "out/a8w8_blockscale_untuned_gemm.csv"), "M,N,K\n512,1280,8192\n");
  EXPECT_THAT(ran.out, Not(HasSubstr("capture")));
  EXPECT_THAT(ran.out, HasSubstr("-i " + (folder_ / "out/a8w8_blockscale_untuned_gemm.csv")));
}

TEST_F(AgentExplain, a_table_of_another_gpu_is_named) {
  ExplainOptions options = Of(Missed(7));
  options.log.gfx = "gfx950";
  const Ran ran = InTables(options, {Table(BlockscaleRow(16, "10.0"))});
  EXPECT_THAT(ran.out, HasSubstr("the log is of MI350X / MI355X (gfx950:256), but all rows"));
  EXPECT_THAT(ran.out, HasSubstr("(gfx942:304):"));
  const Ran none = InTables(On304(Missed(7, 1280, "a4w4_blockscale")), {Table("")});
  EXPECT_THAT(none.out, HasSubstr("there are no rows of this family at all\n"));
}

TEST_F(AgentExplain, where_nobody_knows_the_gpu_every_one_of_the_tables_is_tried) {
  const Ran ran = InTables(Of(Missed(7) + Missed(500)), {Table(BlockscaleRow(16, "10.0"))});
  EXPECT_THAT(ran.out,
              HasSubstr("  on MI300X / MI325X (gfx942:304): 1 of 2 shapes have a tuned row\n"));
}

TEST_F(AgentExplain, the_report_as_json_has_every_shape) {
  ExplainOptions options = On304(Missed(7) + Missed(7) + Missed(500));
  options.log.json = true;
  const json report = json::parse(InTables(options, {Table(BlockscaleRow(16, "10.0"))}).out);
  EXPECT_EQ(report["misses"], 3);
  EXPECT_EQ(report["target"], (json{{"gfx", "gfx942"}, {"cu_num", 304}, {"from", "options"}}));
  const json& family = report["families"][0];
  EXPECT_EQ(family["tuned"], 1);
  EXPECT_EQ(family["missing"], 1);
  EXPECT_EQ(family["missed"][0]["state"], "gl0");
  EXPECT_THAT(family["missed"][0]["row"], StartsWith("gfx942,304,16,1280,8192,"));
  EXPECT_EQ(family["missed"][1]["state"], "missing");
  EXPECT_EQ(family["groups"][0]["shape"], (json{{"N", "1280"}, {"K", "8192"}}));
  EXPECT_EQ(report["next"].size(), 2U);
  EXPECT_EQ(report["error"], nullptr);
}

TEST_F(AgentExplain, a_build_says_which_rows_run) {
  const core::Family& family = tunehub::test::ShippedFamily("a8w8_blockscale");
  const std::string name = "a8w8_blockscale_1x128x128_256x16x64x256_";
  const std::string built = BlockscaleRow(16, "10.0", name + "built"),
                    listed = BlockscaleRow(32, "10.0", name + "listed"),
                    unknown = BlockscaleRow(48, "10.0", name + "unknown");
  const auto rows = [&](const std::string& text) {
    return tunehub::test::ReadTable("a8w8_blockscale", kBlockscaleHeader + text);
  };
  tunehub::test::StandinTree tree(folder_ / "aiter");
  tree.List(family, rows(built + listed));
  tree.Build(family, rows(built), "gfx942", 304);
  tree.Write();
  ExplainOptions options = On304(Missed(16) + Missed(32) + Missed(48));
  options.aiter = folder_ / "aiter";
  const Ran ran = InTables(options, {Table(built + listed + unknown)});
  const std::string has = "  1 shape has a tuned row (module: gemm_a8w8_blockscale). ";
  EXPECT_THAT(ran.out, HasSubstr(has + "It works after a restart.\n"));
  EXPECT_THAT(ran.out, HasSubstr(has + "AITER raises an error for it until the\n  module is built "
                                       "again.\n"));
  EXPECT_THAT(ran.out, HasSubstr(has + "This build cannot run it.\n"));
}

// AITER's own tables answer every M of qwen3-vl-32b's qkv, and nothing of N=1281.
TEST_F(AgentExplain, what_real_tables_have_is_found_and_nothing_else) {
  const auto files = tunehub::test::RealTunedFiles();
  if (files.empty()) GTEST_SKIP() << tunehub::test::NoRealTables();
  std::string log;
  for (const int m : {1, 16, 100, 5000}) {
    for (const int n : {1280, 1281}) log += tunehub::test::MissLine(m, n, 5120);
  }
  ExplainOptions options = On304(log);
  options.log.json = true;
  const Ran ran = InTables(options, {files.front().parent_path().string()});
  EXPECT_EQ(ran.code, kFinding) << ran.err;
  const json family = json::parse(ran.out)["families"][0];
  EXPECT_EQ(family["tuned"], 4);
  EXPECT_EQ(family["missing"], 4);
  for (const json& shape : family["missed"]) {
    EXPECT_EQ(shape["state"] == "missing", shape["shape"]["N"] == "1281") << shape;
  }
}

TEST(ExplainSteps, a_word_is_quoted_where_a_shell_would_cut_it) {
  EXPECT_EQ(ShellWord("a/b-1.log"), "a/b-1.log");
  EXPECT_EQ(ShellWord("my log's"), "'my log'\\''s'");
  EXPECT_EQ(ShellWord(""), "''");
}

TEST(ExplainSteps, what_came_through_a_pipe_is_to_be_filled_in) {
  StepContext context;
  context.logs = {"-", "a b.log"};
  context.device = "MI300X";
  EXPECT_EQ(LogWords(context), "LOG 'a b.log' --device MI300X");
}

TEST(ExplainSteps, a_long_command_goes_on_in_the_next_line_and_stays_one) {
  std::ostringstream out;
  PrintCommand(out,
               "tunehub-agent capture '" + std::string(60, 'x') + " y' --hub http://hub:8080 -o z");
  EXPECT_EQ(out.str(), "  tunehub-agent capture '" + std::string(60, 'x') +
                           " y' \\\n      --hub http://hub:8080 -o z\n");
}

}  // namespace
}  // namespace tunehub::agent::test
