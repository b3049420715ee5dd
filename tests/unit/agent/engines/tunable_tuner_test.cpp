// TunableOp's driver without a GPU. tests/support/torch_standin replaces PyTorch. The log lines
// come from PyTorch 2.11 on an H200.
#include <gmock/gmock.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "agent/engines/engine_run.h"
#include "build_info.h"
#include "tests/support/result.h"
#include "tests/support/temp_dir.h"

namespace tunehub::agent {
namespace {

using testing::HasSubstr;

class TunableTuner : public testing::Test {
 protected:
  EngineRun Tune(const std::string& mode) {
    TunableSettings settings;
    settings.work = dir_.path() / "work";
    settings.logs = dir_.path() / "logs";
    settings.environment = {{"PYTHONPATH", TUNEHUB_SOURCE_DIR "/tests/support/torch_standin"},
                            {"PYTHONDONTWRITEBYTECODE", "1"},
                            {"STANDIN_MODE", mode}};
    settings.grace = std::chrono::milliseconds(200);
    if (mode.ends_with("hang")) settings.limit = std::chrono::seconds(2);
    const std::string op = "GemmTunableOp_BFloat16_TN";
    const auto run = TuneTunable(
        settings, {{op, "tn_1_8_64_ld_64_64_1"}, {op, "tn_2_8_64_ld_64_64_2"}, {op, "tn_3_8_64"}},
        {});
    EXPECT_TRUE(run.ok()) << run.error().detail;
    return run.ok() ? *run : EngineRun();
  }
  static nlohmann::json RowsOf(const EngineRun& run) {
    return nlohmann::json::parse(run.rows)["rows"];
  }

  tunehub::test::TempDir dir_;
};

TEST_F(TunableTuner, every_candidate_with_a_time_is_a_row_and_default_is_the_baseline) {
  const EngineRun run = Tune("ok");
  EXPECT_EQ(run.report.outcome, ScriptOutcome::kComplete);
  EXPECT_EQ(run.report.tuned, 3U);
  EXPECT_EQ(run.device, "AMD_Instinct_MI300X");
  const auto rows = RowsOf(run);
  ASSERT_EQ(rows.size(), 9U);
  EXPECT_EQ(rows[0].dump(),
            R"({"device":"AMD_Instinct_MI300X","engine":"rocm","is_default":true,"ms":"0.02",)"
            R"("op":"GemmTunableOp_BFloat16_TN","params":"tn_1_8_64_ld_64_64_1","searched":true,)"
            R"("solution":"Default","us":"20","validators":)"
            R"("GCN_ARCH_NAME=gfx942:sramecc+:xnack-;PT_VERSION=2.11.0"})");
  EXPECT_EQ(rows[2]["solution"], "Gemm_Rocblas_12");
  EXPECT_EQ(rows[2]["us"], "12.5");
  EXPECT_FALSE(rows[2].contains("is_default"));
  EXPECT_EQ(run.report.failed, 3U);  // candidates that were too slow for a timing
  ASSERT_EQ(run.files.size(), 1U);
  EXPECT_EQ(run.files.begin()->first,
            "AMD_Instinct_MI300X/GCN_ARCH_NAME=gfx942:sramecc+:xnack-;PT_VERSION=2.11.0/"
            "tunableop_results%d.csv");
}

TEST_F(TunableTuner, what_is_no_shape_of_pytorchs_reaches_no_script) {
  TunableSettings settings;
  settings.work = dir_.path() / "work";
  settings.logs = dir_.path() / "logs";
  for (const auto& [op, params] : std::vector<std::pair<std::string, std::string>>{
           {"GemmTunableOp_BFloat16_TN", "tn_1_8_64\nx"}, {"__import__('os')", "tn_1_8_64"}}) {
    EXPECT_EQ(ErrorCode(TuneTunable(settings, {{op, params}}, {})), "not_asked");
  }
  EXPECT_FALSE(std::filesystem::exists(settings.logs));
}

TEST_F(TunableTuner, where_default_is_the_only_candidate_nothing_was_searched) {
  const auto rows = RowsOf(Tune("default"));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0]["is_default"], true);
  EXPECT_FALSE(rows[0].contains("searched"));
}

TEST_F(TunableTuner, a_shape_that_crashes_or_fails_costs_itself_alone) {
  const EngineRun crash = Tune("crash");
  EXPECT_EQ(crash.report.starts, 2);
  EXPECT_EQ(crash.report.outcome, ScriptOutcome::kPartial);
  EXPECT_EQ(crash.report.tuned, 2U);
  ASSERT_EQ(crash.report.missing.size(), 1U);
  EXPECT_EQ(crash.report.missing[0][1], "tn_2_8_64_ld_64_64_2");
  const EngineRun fail = Tune("fail");
  EXPECT_EQ(fail.report.outcome, ScriptOutcome::kPartial);
  ASSERT_EQ(fail.report.remarks.size(), 1U);
  EXPECT_THAT(fail.report.remarks[0], HasSubstr("tn_2_8_64_ld_64_64_2: HIP out of memory"));
}

TEST_F(TunableTuner, ACrashTakesNoResultsOfAPyTorchThatWritesThemLate) {
  const EngineRun crash = Tune("old");
  EXPECT_EQ(crash.report.starts, 2);
  EXPECT_EQ(crash.report.tuned, 2U);
  ASSERT_EQ(crash.report.missing.size(), 1U);
  EXPECT_EQ(crash.report.missing[0][1], "tn_2_8_64_ld_64_64_2");
}

TEST_F(TunableTuner, what_hangs_is_killed_with_its_children) {
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(Tune("child_hang").report.outcome, ScriptOutcome::kTimedOut);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(300));
}

TEST_F(TunableTuner, without_results_there_is_no_row) {
  for (const char* mode : {"nothing", "other", "no_gpu"}) {
    const EngineRun run = Tune(mode);
    EXPECT_EQ(run.report.outcome, ScriptOutcome::kExited) << mode;
    EXPECT_EQ(run.rows, "") << mode;
    EXPECT_TRUE(run.files.empty()) << mode;
  }
  EXPECT_THAT(Tune("other").report.remarks, testing::Contains(HasSubstr("refused_file")));
}

TEST(TunableLog, the_least_time_of_a_solution_and_what_was_tried) {
  TunableLog log;
  for (const char* line :
       {"├──found better instance id=0. 5ms. Default min 1",  // names no shape
        "finding fastest for GemmTunableOp_float_NN(nn_50_33_64_ld_50_70_50) out of 2 candidates",
        "├──tuning using warmup iters 0 [0 ms] and tuning iters 100 [0.83168 ms] instance id=0, "
        "GemmTunableOp_float_NN(nn_50_33_64_ld_50_70_50) Default",
        "├──offset at 17",
        "├──found better instance id=0. 0.0167136ms. Default min 0.007 max 0.4 mean 0.016 std 0.05",
        "├──found slower instance id=1. 0.0209546ms. Default min 0.007 max 0.4 mean 0.020 std 0.07",
        "├──2nd skip slow instance id=2, GemmTunableOp_float_NN(nn_50_33_64_ld_50_70_50) Gemm_X_1",
        "└──found fastest for GemmTunableOp_float_NN(nn_50_33_64_ld_50_70_50) Default",
        "   0.016714 Default",
        "/x/tunable.py:638: UserWarning: Offline tuning is not supported for this GEMM. Use online "
        "tuning instead. Skipped tuning for: tn_7168_1_2048_ld_2048_2048_7168",
        "tunehub: torch 2.11.0+cu130", "tunehub: device NVIDIA H200"}) {
    log.Add(line);
  }
  ASSERT_EQ(log.candidates().size(), 1U);
  const TunableCandidates& found = log.candidates().begin()->second;
  EXPECT_EQ(found.ms, (std::map<std::string, std::string>{{"Default", "0.0167136"}}));
  EXPECT_EQ(found.tried, (std::set<std::string>{"Default", "Gemm_X_1"}));
  EXPECT_EQ(log.device(), "NVIDIA H200");
  EXPECT_EQ(log.version(), "2.11.0+cu130");
  ASSERT_EQ(log.failures().size(), 1U);
  EXPECT_THAT(log.failures()[0], testing::StartsWith("Offline tuning is not supported"));
}

}  // namespace
}  // namespace tunehub::agent
