// Output of the tune scripts, written by hand from their sources. No test needs vLLM, SGLang or a
// GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "agent/engines/aiter_results.h"
#include "agent/engines/engine_run.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ScriptOutput, it_is_the_default_where_the_engine_says_so_and_a_dict_becomes_json) {
  EXPECT_EQ(JsonOfPython("{'BLOCK_SIZE_M': 16, 'a': 'x', 'USE_TMA': True, 'n': None, 'f': 1e-05}"),
            R"({"BLOCK_SIZE_M":16,"a":"x","USE_TMA":true,"n":null,"f":1e-05})");
  EXPECT_EQ(JsonOfPython("{'True': False}"), R"({"True":false})");
  for (const char* none :
       {"", "None", "[1]", "{'a': 1", "{'a': \"b'c\"}", "{a: 1}", "{'a': 1} x"}) {
    EXPECT_FALSE(JsonOfPython(none).has_value()) << none;
  }
  ScriptOutput output;
  output.Add("WARNING [fused_moe.py] Using default MoE config. Performance might be sub-optimal!");
  EXPECT_TRUE(output.is_default());
  output.Add("INFO Using configuration from /x/E=8,N=7168.json for MoE layer.");
  EXPECT_FALSE(output.is_default());
}

TEST(ScriptOutput, a_config_is_timed_by_the_line_behind_it) {
  ScriptOutput output;
  for (const char* line :
       {"Kernel time: 1.00 us", "Batch size: 16, config: {'BLOCK_SIZE_M': 16}", "(worker) noise",
        "Kernel time: 12.34 us", "Kernel time: 99.00 us", "Batch size: 32, config: [1]",
        "Kernel time: 5.00 us", "Batch size: 64, config: {'BLOCK_SIZE_M': 64}",
        "Kernel time: inf us", "Batch size: x, config: {}", "Kernel time: 5.00 us",
        "Mon] Completed tuning for batch_size=16"}) {
    output.Add(line);
  }
  ASSERT_EQ(output.timed().size(), 1U);
  EXPECT_EQ(output.timed().at(16).us, "12.34");
  EXPECT_EQ(output.timed().at(16).config, R"({"BLOCK_SIZE_M":16})");
  EXPECT_EQ(output.tuned(), 1);
  EXPECT_FALSE(output.is_default());
}

TEST(EngineScript, an_option_that_the_script_lacks_is_refused) {
  const EngineScript* vllm = FindEngineScript("vllm", "triton_fused_moe");
  const EngineScript* sglang = FindEngineScript("sglang", "triton_fused_moe");
  const EngineScript* gemm = FindEngineScript("vllm", "triton_block_gemm");
  ASSERT_TRUE(vllm != nullptr && sglang != nullptr && gemm != nullptr);
  EXPECT_EQ(FindEngineScript("vllm", "tunableop"), nullptr);
  EXPECT_TRUE(CheckEngineWork(*vllm, {.model = "m", .tp = 8, .ep = 8}).ok());
  EXPECT_TRUE(CheckEngineWork(*sglang, {.model = "m", .tp = 8, .ep = 4}).ok());
  const std::pair<const EngineScript*, EngineWork> refused[] = {
      {vllm, {}},
      {vllm, {.model = "m", .tp = 8, .ep = 4}},
      {gemm, {.model = "m"}},
      {gemm, {.dtype = "fp8_w8a8"}},
      {gemm, {.tp = 8, .ep = 8}}};
  for (const auto& [script, work] : refused) {
    EXPECT_EQ(CheckEngineWork(*script, work).error().code, "bad_arguments");
  }
  const ScriptText old(R"(parser.add_argument("--model") parser.add_argument('--tp-size'))");
  const auto arguments = ArgumentsOf(*vllm, old, {.model = "m", .dtype = "fp8_w8a8"}, "m", {},
                                     AiterStep::kBenchBefore, "/x");
  ASSERT_FALSE(arguments.ok());
  EXPECT_THAT(arguments.error().detail, HasSubstr("--dtype: in this checkout, benchmark_moe.py"));
}

TEST(EngineScript, a_grid_is_one_start_where_the_script_takes_a_list) {
  const ScriptText list(R"(add_argument("--batch-size", type=int, nargs="+") add_argument("--x"))");
  const ScriptText one(R"(add_argument("--batch-size", type=int) add_argument("--x", nargs="+"))");
  const ScriptText both(R"(add_argument("--batch-size") add_argument("--batch-sizes", nargs="+"))");
  EXPECT_THAT(StartsOf(list, {1, 2}), ElementsAre(ElementsAre(1, 2)));
  EXPECT_THAT(StartsOf(one, {1, 2}), ElementsAre(ElementsAre(1), ElementsAre(2)));
  EXPECT_THAT(StartsOf(both, {1, 2}), ElementsAre(ElementsAre(1, 2)));
  EXPECT_THAT(StartsOf(one, {}), ElementsAre(ElementsAre()));
  const EngineScript* gemm = FindEngineScript("sglang", "triton_block_gemm");
  EXPECT_THAT(*ArgumentsOf(*gemm, both, {}, "", {1, 2}, AiterStep::kBenchBefore, ""),
              ElementsAre("--batch-sizes", "1", "2"));
}

TEST(TritonRows, a_time_is_of_the_same_tokens_and_config_only) {
  TritonStart start;
  const auto row = [](const char* tokens, const char* config) {
    return FileRow{
        {"engine", "vllm"}, {"E", "8"}, {"M", tokens}, {"config", config}, {"place", "1"}};
  };
  start.rows = {row("16", R"({"a":1,"b":2})"), row("32", R"({"a":3})"), row("", "")};
  const auto add = [](ScriptOutput& output, std::initializer_list<const char*> lines) {
    for (const char* line : lines) output.Add(line);
  };
  add(start.before,
      {"Using default MoE config. x", "Batch size: 16, config: {'a': 9}", "Kernel time: 20.00 us"});
  add(start.after, {"Batch size: 16, config: {'b': 2, 'a': 1}", "Kernel time: 10.00 us",
                    "Batch size: 32, config: {'a': 4}", "Kernel time: 11.00 us"});
  EngineRun run;
  EXPECT_EQ(
      TritonRowsBody({start}, run),
      R"({"rows":[)"
      R"({"E":"8","M":"16","config":"{\"a\":1,\"b\":2}","engine":"vllm","place":"1",)"
      R"("searched":true,"us":"10.00"},)"
      R"({"E":"8","M":"32","config":"{\"a\":3}","engine":"vllm","place":"1","searched":true},)"
      R"({"E":"8","M":"16","config":"{\"a\":9}","engine":"vllm","us":"20.00",)"
      R"("is_default":true}]})");
  EXPECT_EQ(run.measured, 2U);
  EXPECT_EQ(run.declared, 1U);
  EXPECT_EQ(run.defaults, 1U);
  EXPECT_EQ(TritonRowsBody({TritonStart()}, run), "");
}

TEST(AiterOutput, progress_is_read_wherever_it_stands_in_a_line) {
  AiterProgress progress;
  EXPECT_TRUE(ReadProgress(
      "[aiter] processed 3 batches of 8, Processing Status ====> 37.5% tuned in GemmA8W8Tuner",
      progress));
  EXPECT_EQ(progress.batches_done, 3);
  EXPECT_EQ(progress.batches, 8);
  EXPECT_EQ(progress.percent, 37.5);
  EXPECT_TRUE(
      ReadProgress("Tuning result for 'gfx': 'gfx942', 'cu_num': 304, 'M': np.int64(16) is "
                   "kernelId=7 name splitK=0, 12.3us",
                   progress));
  EXPECT_TRUE(progress.last.starts_with("'gfx': 'gfx942'"));
}

std::vector<AiterTiming> Report(const std::vector<std::string>& lines) {
  AiterReportReader reader;
  for (const std::string& line : lines) reader.Add(line);
  return reader.timings();
}

TEST(AiterOutput, other_lines_are_no_progress_and_a_time_that_is_none_is_left_out) {
  AiterProgress progress;
  for (const char* line : {"", "processed x batches of 8, ====> 1%", "processed 3 batches of 8",
                           "processed 3 batches of 8, ====> x%", "found 3 batches"}) {
    EXPECT_FALSE(ReadProgress(line, progress)) << line;
  }
  EXPECT_EQ(progress.batches, 0);
  for (const char* us : {"inf", "nan", "0", "-1", ""}) {
    EXPECT_EQ(Report({std::string("x | ") + us + " | OK"}).at(0).us, std::nullopt) << us;
  }
  EXPECT_TRUE(Report({"a | b", "|", "| OK", "x | 1 | FINE"}).empty());
}

TEST(AiterOutput, a_report_has_a_timing_per_shape_with_its_keys) {
  const std::vector<AiterTiming> timings = Report({
      "shape                                    | E2E us | status",
      "----------------------------------------------------------",
      "M16_N1280_K8192                          | 12.3456 | OK",
      "  keys: gfx=gfx942, cu_num=304, M=16, N=1280, K=8192",
      "M32_N1280_K8192                          | 22.5 | MISMATCH",
      "  keys: M=32, N=1280, K=8192",
      "  reason: err_ratio=0.2(>0.05)",
      "M64                                      | - | ERROR",
      "Repro CSV:",
      "keys: M=1",
  });
  ASSERT_EQ(timings.size(), 3U);
  EXPECT_EQ(timings[0].us, 12.3456);
  EXPECT_EQ(timings[0].keys.at("N"), "1280");
  EXPECT_EQ(timings[1].status, "MISMATCH");
  EXPECT_EQ(timings[1].reason, "err_ratio=0.2(>0.05)");
  EXPECT_EQ(timings[2].us, std::nullopt);
  EXPECT_TRUE(timings[2].keys.empty()) << "keys after other lines belong to another timing";
}

TEST(AiterOutput, a_candidate_has_its_default_s_time_as_reference) {
  const core::Family& family = tunehub::test::ShippedFamily("a8w8_blockscale");
  const auto defaults = DefaultTimesOf(
      family,
      LoggedDefaults("=== production operator benchmark (default) ===\na | 100.5 | OK\n"
                     "keys: M=016, N=1280, K=8192\nb | 7 | MISMATCH\nkeys: M=32, N=1280, K=8192\n",
                     true),
      {"gfx942", 304});
  EXPECT_EQ(defaults.size(), 1U) << "the time of a wrong result is no reference";
  const std::string csv = family.Header(true) +
                          "\ngfx942,304,16,1280,8192,ck,1,0,10.25,a8w8_blockscale_x,1,2,0.0"
                          "\ngfx942,304,32,1280,8192,ck,1,0,20.5,a8w8_blockscale_x,1,2,0.9\n";
  const auto body = CandidateRows(family, tunehub::test::ShippedTargets(), csv, defaults);
  auto rows = nlohmann::json::parse(Must(body))["rows"];
  ASSERT_EQ(rows.size(), 2U) << "a row above the error limit is still evidence";
  EXPECT_EQ(rows[0]["us_reference"], 100.5);
  EXPECT_EQ(rows[0]["us"], "10.25") << "the raw time does not change";
  EXPECT_FALSE(rows[1].contains("us_reference"));
  ::setenv(family.env.c_str(), "/x/tuned.csv", 1);
  EXPECT_TRUE(DefaultTimesOf(family, Report({"a | 1 | OK", "keys: M=1, N=1, K=1"}), {"gfx942", 304})
                  .empty())
      << "the table's kernels ran, not the default";
  ::unsetenv(family.env.c_str());
}

TEST(AiterOutput, a_report_says_of_what_it_is) {
  const std::vector<AiterTiming> timings = Report({
      "before any heading | 1 | OK",
      "=== Running production operator benchmark (default) ===",
      "Shape | Kernel(us) | E2E(us) | Status",
      "a     |       3.50 |    4.00 | OK",
      "=== Running production operator benchmark (tuned) ===",
      "a | 3.00 | OK",
      "=== Running pre-tune benchmark (batch 1/2) ===",
      "a | 9.00 | OK",
      "=== Running post-tune benchmark (verification) for batch 1/2 ===",
      "a | 8.00 | OK",
      "============= Tune Performance Comparison =============",
      "a |          9.25 |           8.00 |    1.16x | MISMATCH",
      "keys: M=16",
      "b |           N/A |           8.00 |      N/A | OK",
  });
  std::vector<std::pair<AiterReportOf, double>> read;
  for (const AiterTiming& it : timings) read.emplace_back(it.of, it.us.value_or(0));
  using enum AiterReportOf;
  const std::vector<std::pair<AiterReportOf, double>> all = {
      {kUnsaid, 1}, {kDefault, 4},    {kTuned, 3},  {kDefault, 9},
      {kTuned, 8},  {kDefault, 9.25}, {kDefault, 0}};
  EXPECT_EQ(read, all);
  EXPECT_EQ(timings[5].status, "OK") << "only the post-tune run failed";
  EXPECT_EQ(timings[5].keys.at("M"), "16");
}

}  // namespace
}  // namespace tunehub::agent
