#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "agent/commands/explain/command_explain.h"
#include "agent/commands/explain/explain_text.h"
#include "agent/commands/explain/terminal_text.h"
#include "core/lookup/lookup_target.h"
#include "tests/support/shipped.h"
#include "tests/support/standin_tree.h"
#include "tests/support/tables.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string Missed(int m, int n = 1280, const std::string& family = "a8w8_blockscale") {
  return "(Worker_TP0 pid=8) [aiter] shape is M:" + std::to_string(m) + ", N:" + std::to_string(n) +
         ", K:8192, not found tuned config in /tmp/aiter_configs/" + family +
         "_tuned_gemm.csv, will use default config!\n";
}

constexpr char kMissedMoe[] =
    "[2026-02-17 23:52:11 TP6] [fused_moe] using 2stage default for ('gfx942', 304, 64, 7168, 256, "
    "257, 9, 'ActivationType.Silu', 'torch.bfloat16', 'torch.float8_e4m3fnuz', "
    "'torch.float8_e4m3fnuz', 'QuantType.per_1x128', True, False)\n";

struct Explaining {
  int code = 0;
  std::string out, err;
};

class AgentExplain : public testing::Test {
 protected:
  ExplainOptions Of(const std::string& log) const {
    ExplainOptions options;
    options.log.logs = {folder_.Write("vllm.log", log)};
    options.device_root = (folder_ / "root");  // that has no GPU
    return options;
  }
  ExplainOptions On304(const std::string& log) const {
    ExplainOptions options = Of(log);
    options.log.gfx = "gfx942";
    return options;
  }
  static Explaining Say(const ExplainOptions& options, RowSource* source = nullptr) {
    RecordingConsole recorded;
    const int code = Explain(RealConfiguration(), options, source, recorded.console);
    return {code, recorded.out.str(), recorded.err.str()};
  }
  static Explaining InTables(const ExplainOptions& options, const std::vector<std::string>& paths) {
    const Configuration configuration = RealConfiguration();
    auto source = RowsOfTables(configuration, paths);
    if (!source.ok()) return {kFailed, "", source.error().detail};
    RecordingConsole recorded;
    const int code = Explain(configuration, options, source->get(), recorded.console);
    return {code, recorded.out.str(), recorded.err.str()};
  }
  std::string Table(const std::string& rows) const {
    return folder_.Write("a8w8_blockscale_tuned_gemm.csv", kBlockscaleHeader + rows);
  }

  const TempFolder folder_;
};

TEST_F(AgentExplain, says_what_was_missed_and_how_often_by_the_layer) {
  const ExplainOptions options =
      On304(Missed(1) + Missed(100) + Missed(1) + "noise\n" + Missed(37, 7168) + kMissedMoe);
  const Explaining ran = Say(options);
  EXPECT_EQ(ran.code, kFinding);
  const std::string log = options.log.logs.front();
  EXPECT_EQ(
      ran.out,
      log +
          ": 6 lines, 5 of them misses: AITER found no tuned row for 4 shapes\n"
          "GPU: gfx942 with 304 CUs (MI300X, MI325X), as --gfx says\n"
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
          "Tune what is missing, on a host with that GPU:\n"
          "  tunehub-agent capture " +
          log +
          " -o untuned\n"
          "  tunehub-agent tune --tuner aiter -i untuned/a8w8_blockscale_untuned_gemm.csv \\\n"
          "      -o a8w8_blockscale.csv\n"
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
  const Explaining ran = Say(On304("one\ntwo\n"));
  EXPECT_EQ(ran.code, kGood);
  EXPECT_THAT(ran.out, HasSubstr("vllm.log: 2 lines, none of them a miss\n"));
  EXPECT_THAT(ran.out, HasSubstr("'not found tuned'"));
  EXPECT_THAT(ran.out, Not(HasSubstr("GPU")));
}

TEST_F(AgentExplain, misses_that_cannot_be_read_are_a_finding) {
  const Explaining ran = Say(On304(Missed(0)));
  EXPECT_EQ(ran.code, kFinding);
  EXPECT_THAT(ran.out, HasSubstr("1 misses could not be read; the first: shape is M:0"));
}

TEST_F(AgentExplain, the_gpu_is_the_lines_own_else_what_is_said_else_the_only_one_of_the_log) {
  EXPECT_THAT(Say(Of(Missed(1) + kMissedMoe)).out,
              HasSubstr("GPU: gfx942 with 304 CUs (MI300X, MI325X), as its lines say\n"));
  EXPECT_THAT(Say(Of(Missed(1))).out, HasSubstr("GPU: not known. "));
  ExplainOptions other = Of(Missed(1) + kMissedMoe);
  other.log.gfx = "gfx942";
  other.log.cu_num = 80;
  const Explaining ran = Say(other);
  EXPECT_THAT(ran.out, HasSubstr("80 CUs (MI308X), as --gfx says\n"));
  EXPECT_THAT(ran.out, HasSubstr("fmoe on gfx942:304: 1 shape"));
  EXPECT_THAT(ran.out, HasSubstr("a8w8_blockscale on gfx942:80: 1 shape"));
}

TEST_F(AgentExplain, a_log_of_several_gpus_does_not_say_whose_a_gemm_is) {
  std::string other = kMissedMoe;
  other.replace(other.find("304"), 3, "80");
  const std::string out = Say(Of(Missed(1) + kMissedMoe + other)).out;
  EXPECT_THAT(out, HasSubstr("fmoe on gfx942:80: 1 shape"));
  EXPECT_THAT(out, HasSubstr("a8w8_blockscale on a GPU that is not known: 1 shape"));
}

TEST_F(AgentExplain, the_gpu_may_be_this_hosts) {
  folder_.Write("root/sys/class/kfd/kfd/topology/nodes/1/properties",
                "simd_count 1024\nsimd_per_cu 4\ngfx_target_version 90500\n");
  EXPECT_THAT(Say(Of(Missed(1))).out,
              HasSubstr("GPU: gfx950 with 256 CUs (MI350X, MI355X), this host's\n"));
}

TEST_F(AgentExplain, wrong_options_are_refused_by_name) {
  ExplainOptions options = Of(Missed(1));
  options.log.cu_num = 304;
  EXPECT_THAT(Say(options).err, HasSubstr("--cu-num 304 is of no GPU without --gfx"));
  options.log.gfx = "GFX 9";
  EXPECT_THAT(Say(options).err, HasSubstr("bad_gfx"));
  options = On304("");
  options.log.logs = {folder_ / "none.log"};
  const Explaining ran = Say(options);
  EXPECT_EQ(ran.code, kFailed);
  EXPECT_THAT(ran.err, HasSubstr("none.log: No such file"));
  EXPECT_THAT(InTables(On304(Missed(1)), {folder_ / "none.csv"}).err, HasSubstr("none.csv"));
}

TEST_F(AgentExplain, rows_of_tables_are_found_as_a_lookup_finds_them) {
  const std::string kernel = "a8w8_blockscale_1x128x128_256x16x64x256";
  const std::string table =
      Table(BlockscaleRow(16, "10.0", kernel) + BlockscaleRow(64, "0", kernel));
  ExplainOptions options = On304(Missed(7) + Missed(7) + Missed(64) + Missed(500) + Missed(501));
  options.tables = {table};
  const Explaining ran = InTables(options, options.tables);
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
                        "  missing: 3 shapes have no tuned row; 2 rows are enough for all\n"
                        "  speed-up: not known, nobody has measured the untuned kernel\n"));
  EXPECT_THAT(ran.out, HasSubstr("  export AITER_CONFIG_GEMM_A8W8_BLOCKSCALE=" + table + "\n"));
  EXPECT_THAT(ran.out, HasSubstr(" -o untuned\n")) << "the shapes without a row alone";
}

TEST_F(AgentExplain, untuned_tables_are_of_the_shapes_without_a_row) {
  ExplainOptions options = On304(Missed(7) + Missed(500));
  options.log.output = folder_ / "out";
  const Explaining ran = InTables(options, {Table(BlockscaleRow(16, "10.0"))});
  EXPECT_EQ(ReadText(folder_ / "out/a8w8_blockscale_untuned_gemm.csv"), "M,N,K\n512,1280,8192\n");
  EXPECT_THAT(ran.out, Not(HasSubstr("capture")));
  EXPECT_THAT(ran.out, HasSubstr("-i " + (folder_ / "out/a8w8_blockscale_untuned_gemm.csv")));
}

TEST_F(AgentExplain, a_table_of_another_gpu_is_named) {
  ExplainOptions options = Of(Missed(7));
  options.log.gfx = "gfx950";
  const Explaining ran = InTables(options, {Table(BlockscaleRow(16, "10.0"))});
  EXPECT_THAT(ran.out, HasSubstr("the log is of gfx950:256, but all rows of a8w8_blockscale are of "
                                 "gfx942:304 (1 row)\n"));
  const Explaining none = InTables(On304(Missed(7, 1280, "a4w4_blockscale")), {Table("")});
  EXPECT_THAT(none.out, HasSubstr("there are no rows of this family at all\n"));
}

TEST_F(AgentExplain, where_nobody_knows_the_gpu_every_one_of_the_tables_is_tried) {
  const Explaining ran = InTables(Of(Missed(7) + Missed(500)), {Table(BlockscaleRow(16, "10.0"))});
  EXPECT_THAT(ran.out, HasSubstr("  on gfx942:304: 1 of 2 shapes have a tuned row\n"));
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
  EXPECT_EQ(family["worth"], nullptr);
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
  const Explaining ran = InTables(options, {Table(built + listed + unknown)});
  const std::string has = "  1 shape has a tuned row (module: gemm_a8w8_blockscale). ";
  EXPECT_THAT(ran.out, HasSubstr(has + "It works after a restart.\n"));
  EXPECT_THAT(ran.out, HasSubstr(has + "AITER raises an error for it until the\n  module is built "
                                       "again.\n"));
  EXPECT_THAT(ran.out, HasSubstr(has + "This build cannot run it.\n"));
}

// What a hub has: its index, its table, which rows of it are tuned, and the speed-ups.
std::deque<Answer> HubWith(const std::string& rows, const std::string& tuned,
                           const std::string& speedups) {
  return {{200, {}, R"({"families": [{"family": "a8w8_blockscale", "targets":
                      [{"gfx": "gfx942", "cu_num": 304, "rows": 2}]}]})"},
          {200, {}, kBlockscaleHeader + rows},
          {200, {}, kBlockscaleHeader + tuned},
          {200, {}, speedups}};
}

class AgentExplainHub : public AgentExplain {
 protected:
  Explaining AtHub(ExplainOptions options) {
    const Configuration configuration = RealConfiguration();
    options.hub = "http://hub:8080";
    const auto source = RowsOfHub(configuration, options.hub, hub_, {.tries = 1}, pauses_.pauses);
    RecordingConsole recorded;
    const int code = Explain(configuration, options, source.get(), recorded.console);
    return {code, recorded.out.str(), recorded.err.str()};
  }

  FakeHub hub_;
  RecordedPauses pauses_;
};

constexpr char kSpeedups[] =
    "family,target,shape,campaign,default_us,heuristic_us,tuned_us,tuned_over_default\n"
    "a8w8_blockscale,gfx942:304,M=16 N=1280 K=8192,,30,,10,3\n"
    "a8w8_blockscale,gfx942:304,M=32 N=1280 K=8192,,20,,10,2\n"
    "a8w8_blockscale,gfx942:304,M=64 N=1280 K=8192,,,9,10,\n"
    "a8w8_blockscale,gfx942:304,M=16 N=12800 K=8192,,10,,10,1\n";

TEST_F(AgentExplainHub, says_what_the_rows_are_worth_by_the_layer_else_by_the_family) {
  hub_.answers = HubWith(BlockscaleRow(16, "10.0") + BlockscaleRow(32, "20.0"),
                         BlockscaleRow(16, "10.0"), kSpeedups);
  const Explaining ran = AtHub(On304(Missed(7) + Missed(7) + Missed(20) + Missed(1, 640)));
  EXPECT_EQ(ran.code, kFinding) << ran.err;
  EXPECT_THAT(ran.out,
              HasSubstr("  missed  shapes  tuned  M             speed-up  of\n"
                        "       3       2      1  7-20          2.50x     N=1280 K=8192\n"
                        "       1       1      0  1             ~2.00x    N=640 K=8192\n"));
  EXPECT_THAT(ran.out, HasSubstr("  1 shape has the row of the untuned kernel alone (baseline)\n"));
  EXPECT_THAT(ran.out, HasSubstr("~: the median of the family's 3 measured keys"));
  ASSERT_EQ(hub_.requests.size(), 4U);
  EXPECT_EQ(hub_.requests[1].target, "/tuned/a8w8_blockscale?gfx=gfx942&cu_num=304&allow_empty=1");
  EXPECT_EQ(hub_.requests[3].target,
            "/speedups?gfx=gfx942&cu_num=304&family=a8w8_blockscale&format=csv");
}

TEST_F(AgentExplainHub, where_nobody_knows_the_gpu_every_one_of_the_hub_is_tried) {
  hub_.answers = HubWith(BlockscaleRow(16, "10.0") + BlockscaleRow(32, "20.0"),
                         BlockscaleRow(16, "10.0"), kSpeedups);
  const Explaining ran = AtHub(Of(Missed(7) + Missed(20) + Missed(500)));
  EXPECT_EQ(ran.code, kFinding) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("  on gfx942:304: 1 of 3 shapes have a tuned row\n"))
      << "M=20 has the untuned kernel's alone";
  ASSERT_EQ(hub_.requests.size(), 3U);
  EXPECT_EQ(hub_.requests[1].target, "/tuned/a8w8_blockscale?allow_empty=1");
}

TEST_F(AgentExplainHub, the_next_steps_go_on_with_the_hub) {
  hub_.answers = HubWith(BlockscaleRow(16, "10.0"), BlockscaleRow(16, "10.0"), kSpeedups);
  const ExplainOptions options = On304(Missed(7) + Missed(500));
  const Explaining ran = AtHub(options);
  EXPECT_THAT(ran.out, HasSubstr("  tunehub-agent pull --hub http://hub:8080 --family "
                                 "a8w8_blockscale --gfx gfx942 \\\n      -o a8w8_blockscale.csv\n"
                                 "  export AITER_CONFIG_GEMM_A8W8_BLOCKSCALE=\"$PWD\"/"
                                 "a8w8_blockscale.csv\n"));
  EXPECT_THAT(ran.out, HasSubstr("--hub http://hub:8080 --gfx gfx942"));
  EXPECT_THAT(ran.out, HasSubstr("tunehub-agent capture " + options.log.logs.front()));
}

TEST_F(AgentExplainHub, a_hub_that_is_away_leaves_what_the_log_says) {
  const Explaining ran = AtHub(On304(Missed(7)));
  EXPECT_EQ(ran.code, kFailed);
  EXPECT_THAT(ran.out, HasSubstr("a8w8_blockscale: 1 shape, missed once\n"));
  EXPECT_THAT(ran.out, HasSubstr("  tunehub-agent explain "));
  EXPECT_THAT(ran.err, HasSubstr("hub_unreachable"));
  ExplainOptions options = On304(Missed(7));
  options.log.json = true;
  const json report = json::parse(AtHub(options).out);
  EXPECT_EQ(report["error"]["code"], "hub_unreachable");
  EXPECT_EQ(report["families"][0]["tuned"], nullptr) << "which nobody knows";
}

// A hub's files on a page host (agent/hub/static_hub.h): one table, by family and target.
class ExportedTable : public HubClient {
 public:
  core::Result<Answer> Send(const Request& request) override {
    if (request.target == "/tuned/a8w8_blockscale?gfx=gfx942&cu_num=304") {
      return Answer{200, {}, kBlockscaleHeader + BlockscaleRow(16, "10.0")};
    }
    const bool table = request.target.starts_with("/tuned/");
    return core::Error{table ? "no_rows" : "static_export", request.target};
  }
};

TEST_F(AgentExplain, files_of_a_hub_have_rows_and_take_no_demand) {
  const Configuration configuration = RealConfiguration();
  ExportedTable files;
  const RecordedPauses pauses;
  ExplainOptions options = On304(Missed(7) + Missed(500) + Missed(7, 1280, "a4w4_blockscale"));
  options.hub = "http://pages";
  const auto source = RowsOfHub(configuration, options.hub, files, {.tries = 1}, pauses.pauses);
  RecordingConsole recorded;
  EXPECT_EQ(Explain(configuration, options, source.get(), recorded.console), kFinding);
  const std::string out = recorded.out.str();
  EXPECT_THAT(out, HasSubstr("Looked in: http://pages, files without a server\n"));
  EXPECT_THAT(out,
              HasSubstr("a8w8_blockscale: 2 shapes, missed 2 times; 1 with a tuned row, 1 with"));
  EXPECT_THAT(out, HasSubstr("a4w4_blockscale: 1 shape, missed once; 0 with a tuned row"));
  EXPECT_THAT(out, HasSubstr("no rows of this family for this GPU\n"));
  EXPECT_THAT(out, HasSubstr("  tunehub-agent pull --hub http://pages "));
  EXPECT_THAT(out, Not(HasSubstr("capture")));
  EXPECT_THAT(out, HasSubstr("--hub http://pages -o untuned\n"));
}

TEST_F(AgentExplainHub, an_answer_of_something_else_is_refused) {
  hub_.answers = {{200, {}, "<html>"}};
  EXPECT_THAT(AtHub(On304(Missed(7))).err, HasSubstr("bad_answer"));
  hub_.answers = HubWith("", "", "a,b\n");
  EXPECT_THAT(AtHub(On304(Missed(7))).err, HasSubstr("no column shape"));
}

TEST(ExplainWorth, a_table_of_every_candidate_tells_what_its_default_takes) {
  const TempFolder folder;
  const std::string runs_untuned =
      "a8w8_blockscale_1x128x128_256x16x128x256_16x16_16x16_1x2_16x16x1_16x16x1_1x16x1x16_8_1x2_"
      "intrawave_v1";
  const Configuration configuration = RealConfiguration();
  const core::Family& family = **configuration.families.Named("a8w8_blockscale");
  const std::string profile =
      folder.Write("a8w8_blockscale_tuned_gemm.csv",
                   kBlockscaleHeader + BlockscaleRow(16, "30.0", runs_untuned) +
                       BlockscaleRow(16, "12.0") + BlockscaleRow(16, "20.0", "kernel_b") +
                       BlockscaleRow(32, "5.0") + BlockscaleRow(32, "6.0", "kernel_b"));
  auto source = RowsOfTables(configuration, {profile});
  const auto rows = (*source)->Read(family, {"gfx942", 304});
  ASSERT_EQ(rows->speedups.size(), 1U) << "of M=32 nobody measured the default";
  EXPECT_DOUBLE_EQ(rows->speedups[0].speedup, 2.5);
  EXPECT_TRUE((*source)->Read(family, {"gfx950", 256})->speedups.empty());
  const Worth own = WorthOf(rows->speedups, {"1280", "8192"});
  EXPECT_EQ(own.keys, 1U);
  EXPECT_FALSE(own.of_family);
  EXPECT_TRUE(WorthOf(rows->speedups, {"640", "8192"}).of_family);
  EXPECT_EQ(WorthOf({}, {"640", "8192"}).keys, 0U);
}

TEST(ExplainSteps, a_word_is_quoted_where_a_shell_would_cut_it) {
  EXPECT_EQ(ShellWord("a/b-1.log"), "a/b-1.log");
  EXPECT_EQ(ShellWord("my log's"), "'my log'\\''s'");
  EXPECT_EQ(ShellWord(""), "''");
}

TEST(ExplainSteps, a_long_command_goes_on_in_the_next_line_and_stays_one) {
  std::ostringstream out;
  PrintCommand(out,
               "tunehub-agent capture '" + std::string(60, 'x') + " y' --hub http://hub:8080 -o z");
  EXPECT_EQ(out.str(), "  tunehub-agent capture '" + std::string(60, 'x') +
                           " y' \\\n      --hub http://hub:8080 -o z\n");
}

// Every row of AITER's own tables is found for the shape that it is of.
TEST(ExplainReal, what_real_tables_have_is_found_and_nothing_else) {
  const auto files = tunehub::test::RealTunedFiles();
  if (files.empty()) GTEST_SKIP() << tunehub::test::NoRealTables();
  const TempFolder folder;
  const std::string configs = files.front().parent_path().string();
  std::string log;
  for (const int m : {1, 16, 100, 5000}) log += Missed(m) + Missed(m, 1281);
  for (std::size_t at = log.find("K:8192"); at != std::string::npos; at = log.find("K:8192")) {
    log.replace(at, 6, "K:5120");
  }
  ExplainOptions options;
  options.log.logs = {folder.Write("vllm.log", log)};
  options.log.gfx = "gfx942";
  options.log.json = true;
  const Configuration configuration = RealConfiguration();
  auto source = RowsOfTables(configuration, {configs});
  ASSERT_TRUE(source.ok()) << source.error().detail;
  RecordingConsole recorded;
  EXPECT_EQ(Explain(configuration, options, source->get(), recorded.console), kFinding);
  const json family = json::parse(recorded.out.str())["families"][0];
  EXPECT_EQ(family["tuned"], 4) << "qwen3-vl-32b's qkv";
  EXPECT_EQ(family["missing"], 4);
  for (const json& shape : family["missed"]) {
    EXPECT_EQ(shape["state"] == "missing", shape["shape"]["N"] == "1281") << shape;
  }
}

}  // namespace
}  // namespace tunehub::agent::test
