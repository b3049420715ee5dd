#include <nlohmann/json.hpp>
#include <sstream>

#include "agent/base/terminal.h"
#include "agent/capture/explanation.h"
#include "tests/support/shipped.h"
#include "tests/support/standin_tree.h"
#include "tests/support/tables.h"
#include "tests/unit/agent/capture/explain_support.h"

namespace tunehub::agent::test {
namespace {

using testing::Not;

constexpr char kMissedMoe[] =
    "[2026-02-17 23:52:11 TP6] [fused_moe] using 2stage default for ('gfx942', 304, 64, 7168, 256, "
    "257, 9, 'ActivationType.Silu', 'torch.bfloat16', 'torch.float8_e4m3fnuz', "
    "'torch.float8_e4m3fnuz', 'QuantType.per_1x128', True, False)\n";

TEST_F(AgentExplain, says_what_was_missed_and_how_often_by_the_layer) {
  const ExplainOptions options =
      On304(Missed(1) + Missed(100) + Missed(1) + "noise\n" + Missed(37, 7168) + kMissedMoe);
  const Ran ran = Say(options);
  EXPECT_EQ(ran.code, kFinding);
  const std::string log = options.log.logs.front();
  EXPECT_EQ(
      ran.out,
      log +
          ": 6 lines, 5 of them misses: AITER found no tuned row for 4 shapes\n"
          "GPU: MI300X / MI325X (gfx942:304), as --gfx says\n"
          "\n"
          "a8w8_blockscale: 3 shapes, missed 4 times\n"
          "  missed  shapes  M             of\n"
          "       3       2  1-100         N=1280 K=8192\n"
          "       1       1  37            N=7168 K=8192\n"
          "\n"
          "fmoe: 1 shape, missed once\n"
          "  missed  shapes  token         of\n"
          "       1       1  64            model_dim=7168 inter_dim=256 expert=257 topk=9\n"
          "\n"
          "Not checked: whether tuned rows exist. Use --hub URL, or --tables FILE... (tuned "
          "tables, or folders\n"
          "of them).\n"
          "\n"
          "Tune the missing shapes, on a host with that GPU:\n"
          "  tunehub-agent capture " +
          log +
          " -o untuned\n"
          "  tunehub-agent bench --before --tuner aiter -i "
          "untuned/a8w8_blockscale_untuned_gemm.csv\n"
          "  tunehub-agent tune --tuner aiter -i untuned/a8w8_blockscale_untuned_gemm.csv \\\n"
          "      -o a8w8_blockscale.csv\n"
          "  tunehub-agent bench --before --tuner aiter -i untuned/untuned_fmoe.csv\n"
          "  tunehub-agent tune --tuner aiter -i untuned/untuned_fmoe.csv -o fmoe.csv\n");
}

TEST_F(AgentExplain, what_tells_groups_apart_is_said_and_no_more) {
  const std::string fp8 =
      "shape is M:16, N:1, K:2, q_dtype_w:torch.float8_e4m3fnuz, not found "
      "tuned config in a8w8_tuned_gemm.csv, will use default config!\n";
  std::string int8 = fp8;
  int8.replace(int8.find("torch.float8_e4m3fnuz"), 21, "torch.int8");
  EXPECT_THAT(Say(On304(fp8)).out, HasSubstr("  N=1 K=2\n"));
  EXPECT_THAT(Say(On304(fp8 + int8)).out, HasSubstr("N=1 K=2 q_dtype_w=torch.int8\n"));
}

TEST_F(AgentExplain, a_log_without_a_miss_is_no_finding_and_says_what_was_looked_for) {
  const Ran ran = Say(On304("one\ntwo\n"));
  EXPECT_EQ(ran.code, kGood);
  EXPECT_THAT(ran.out, HasSubstr("vllm.log: no miss in 2 lines\n"));
  EXPECT_THAT(ran.out, HasSubstr("'not found tuned'"));
  EXPECT_THAT(ran.out, Not(HasSubstr("GPU")));
}

TEST_F(AgentExplain, shapes_are_spoken_of_only_where_a_line_of_aiter_was_read) {
  EXPECT_THAT(Say(On304("one\ntwo\n")).out, HasSubstr("This log has no AITER line about a shape"));
  const std::string hit =
      "[aiter] shape M:5, N:64, K:128 q_dtype_w:torch.int8, found padded_M: 8, N:64, K:128 is "
      "tuned, in /tmp/a8w8_tuned_gemm.csv! libtype is ck!\n";
  EXPECT_THAT(Say(On304(hit)).out, HasSubstr("1 lines name a row that AITER found"));
  const std::string wrapped = "shape is M:16, N:1,\nK:2, not found tuned config in a.csv\n";
  EXPECT_THAT(Say(On304(wrapped + hit)).out,
              HasSubstr("2 lines contain only a part of AITER's message"));
}

TEST_F(AgentExplain, bytes_that_are_no_text_are_named_and_refused) {
  const auto refused = [&](std::string_view bytes) {
    const Ran ran = Say(On304(std::string(bytes)));
    EXPECT_NE(ran.code, kGood);
    EXPECT_EQ(ran.out, "");
    return ran.err;
  };
  using namespace std::string_view_literals;
  EXPECT_THAT(refused("\x28\xb5\x2f\xfd\x04"sv), HasSubstr("packed by zstd"));
  EXPECT_THAT(refused("\xfd\x37zXZ\0\0"sv), HasSubstr("packed by xz"));
  EXPECT_THAT(refused("\xff\xfeo\0\n\0"sv), HasSubstr("UTF-16"));
  EXPECT_THAT(refused("one\nt\0w\0"sv),
              HasSubstr("line 2 (counted from the first line read) contains a NUL byte"));
}

TEST_F(AgentExplain, misses_that_cannot_be_read_are_a_finding) {
  const Ran ran = Say(On304(Missed(0)));
  EXPECT_EQ(ran.code, kFinding);
  EXPECT_THAT(ran.out, HasSubstr("1 misses could not be read; the first: shape is M:0"));
}

TEST_F(AgentExplain, the_gpu_is_the_lines_own_else_what_is_said_else_the_only_one_of_the_log) {
  EXPECT_THAT(Say(Of(Missed(1) + kMissedMoe)).out,
              HasSubstr("GPU: MI300X / MI325X (gfx942:304), as its lines say\n"));
  EXPECT_THAT(Say(Of(Missed(1))).out, HasSubstr("GPU: unknown. "));
  ExplainOptions other = Of(Missed(1) + kMissedMoe);
  other.log.gfx = "gfx942";
  other.log.cu_num = 80;
  const Ran ran = Say(other);
  EXPECT_THAT(ran.out, HasSubstr("MI308X (gfx942:80), as --gfx says\n"));
  EXPECT_THAT(ran.out, HasSubstr("fmoe on MI300X / MI325X (gfx942:304): 1 shape"));
  EXPECT_THAT(ran.out, HasSubstr("a8w8_blockscale on MI308X (gfx942:80): 1 shape"));
}

TEST_F(AgentExplain, a_log_of_several_gpus_does_not_say_whose_a_gemm_is) {
  std::string other = kMissedMoe;
  other.replace(other.find("304"), 3, "80");
  const std::string out = Say(Of(Missed(1) + kMissedMoe + other)).out;
  EXPECT_THAT(out, HasSubstr("fmoe on MI308X (gfx942:80): 1 shape"));
  EXPECT_THAT(out, HasSubstr("a8w8_blockscale on a GPU that is not known: 1 shape"));
}

TEST_F(AgentExplain, the_gpu_may_be_this_hosts) {
  folder_.Write("root/sys/class/kfd/kfd/topology/nodes/1/properties",
                "simd_count 1024\nsimd_per_cu 4\ngfx_target_version 90500\n");
  EXPECT_THAT(Say(Of(Missed(1))).out,
              HasSubstr("GPU: MI350X / MI355X (gfx950:256), this host's\n"));
}

TEST_F(AgentExplain, wrong_options_are_refused_by_name) {
  ExplainOptions options = Of(Missed(1));
  options.log.cu_num = 304;
  EXPECT_THAT(Say(options).err, HasSubstr("--cu-num 304: also pass --gfx"));
  options.log.gfx = "GFX 9";
  EXPECT_THAT(Say(options).err, HasSubstr("bad_gfx"));
  options = On304("");
  options.log.logs = {folder_ / "none.log"};
  const Ran ran = Say(options);
  EXPECT_EQ(ran.code, kFailed);
  EXPECT_THAT(ran.err, HasSubstr("none.log: No such file"));
  EXPECT_THAT(InTables(On304(Missed(1)), {folder_ / "none.csv"}).err, HasSubstr("none.csv"));
}

using nlohmann::json;
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
  EXPECT_THAT(
      ran.out,
      HasSubstr(
          "a8w8_blockscale: 4 shapes, missed 5 times; 1 with a tuned row, 3 without\n"
          "  missed  shapes  tuned  M             of\n"
          "       5       4      1  7-501         N=1280 K=8192\n"
          "  1 shape has a tuned row (module: gemm_a8w8_blockscale). The row works after a restart "
          "if AITER\n  was built with the row's kernel; otherwise AITER raises an error.\n"
          "  (--aiter DIR checks which of the rows work in a build)\n"
          "  1 shape has a row that nobody has measured\n"
          "  missing: 3 shapes have no tuned row; 2 rows are enough for all\n"));
  EXPECT_THAT(ran.out, HasSubstr("  export AITER_CONFIG_GEMM_A8W8_BLOCKSCALE=" + table + "\n"));
  EXPECT_THAT(ran.out, HasSubstr(" -o untuned\n")) << "only the shapes without a row";
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
  EXPECT_THAT(ran.out, HasSubstr("the log's GPU is MI350X / MI355X (gfx950:256), but all rows"));
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
  EXPECT_THAT(ran.out, HasSubstr(has + "The row works after a restart.\n"));
  EXPECT_THAT(
      ran.out,
      HasSubstr(has + "AITER raises an error for the row until\n  the module is built again.\n"));
  EXPECT_THAT(ran.out, HasSubstr(has + "This build cannot run the row.\n"));
}

// AITER's own tables have rows for every M of qwen3-vl-32b's qkv, but none for N = 1281.
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
