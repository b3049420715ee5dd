#include <gtest/gtest.h>

#include "agent/engines/aiter_results.h"

namespace tunehub::agent {
namespace {

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

TEST(AiterOutput, other_lines_are_no_progress) {
  AiterProgress progress;
  for (const char* line : {"", "processed x batches of 8, ====> 1%", "processed 3 batches of 8",
                           "processed 3 batches of 8, ====> x%", "found 3 batches"}) {
    EXPECT_FALSE(ReadProgress(line, progress)) << line;
  }
  EXPECT_EQ(progress.batches, 0);
}

std::vector<AiterTiming> Report(const std::vector<std::string>& lines) {
  AiterReportReader reader;
  for (const std::string& line : lines) reader.Add(line);
  return reader.timings();
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
  EXPECT_TRUE(timings[2].keys.empty()) << "keys behind other lines are not its own";
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
  EXPECT_EQ(timings[5].status, "OK") << "what failed ran after it";
  EXPECT_EQ(timings[5].keys.at("M"), "16");
}

TEST(AiterOutput, a_time_that_is_none_is_left_out) {
  for (const char* us : {"inf", "nan", "0", "-1", ""}) {
    EXPECT_EQ(Report({std::string("x | ") + us + " | OK"}).at(0).us, std::nullopt) << us;
  }
  EXPECT_TRUE(Report({"a | b", "|", "| OK", "x | 1 | FINE"}).empty());
}

}  // namespace
}  // namespace tunehub::agent
