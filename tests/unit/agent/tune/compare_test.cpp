// Speed-ups, tables as sides of a comparison, and the command itself.
#include "agent/device/device.h"
#include "agent/tune/commands.h"
#include "agent/tune/shape_rows.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent {
namespace {

using agent::test::BlockscaleRow;
using agent::test::kBlockscaleHeader;
using agent::test::Ran;
using agent::test::TempFolder;
using testing::HasSubstr;

const core::Family& Blockscale() {
  return tunehub::test::ShippedFamily("a8w8_blockscale");
}

std::string ErrorOf(const std::string& csv) {
  return ErrorText(ReadSide(Blockscale(), "x.csv", csv));
}

TEST(TuningCompare, reads_tuned_tables_and_what_an_operators_benchmark_writes) {
  const auto tuned = Must(ReadSide(
      Blockscale(), "tuned.csv",
      "# rocm: 7.0.1\n# a remark\n" + std::string(kBlockscaleHeader) + BlockscaleRow(16, "8.5")));
  EXPECT_EQ(tuned.timings().at(0).key.target, "gfx942:304");
  EXPECT_EQ(tuned.timings().at(0).kernel, "kernel_a");
  EXPECT_EQ(tuned.environment, (analysis::Environment{{"file", "tuned.csv"}, {"rocm", "7.0.1"}}));
  const auto bench = Must(ReadSide(Blockscale(), "bench.csv",
                                   "M,N,K,us,status\n16,1280,8192,9.5,OK\n32,1280,8192,,ERROR\n"
                                   "48,1280,8192,7,mismatch\n64,1280,8192,inf,OK\n"));
  EXPECT_EQ(bench.timings().at(0).key.shape(), tuned.timings().at(0).key.shape());
  EXPECT_EQ(bench.timings().at(0).runs, std::vector<double>{9.5});
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_TRUE(bench.timings().at(i).runs.empty()) << "a candidate that did not run has no time";
  }
  EXPECT_DOUBLE_EQ(Median({4, 1, 3, 2}), 2.5);
}

TEST(TuningCompare, a_time_that_is_no_number_is_named_with_its_place) {
  EXPECT_EQ(ErrorOf("M,N,K\n1,2,3\n"), "no_times: x.csv: has no column 'us'");
  EXPECT_EQ(ErrorOf("M,N,K,us\n1,2,3,4\n1,2,3,nan\n"),
            "bad_time: x.csv:3: us is 'nan'; expected a number of microseconds");
  EXPECT_EQ(ErrorOf("M,N,K,us\n1,2,3,fast\n"),
            "bad_time: x.csv:2: us is 'fast'; expected a number of microseconds");
  EXPECT_THAT(ErrorOf("M,N,K,us\n0,2,3,4\n"), HasSubstr("x.csv:2: M: "));
  EXPECT_EQ(ErrorOf(""), "empty_table: x.csv: the file is empty; expected a header");
}

Ran CompareCommand(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "compare");
  arguments.insert(arguments.end(), {"--family", "a8w8_blockscale"});
  return agent::test::RunCommand(RunCompare, std::move(arguments));
}

// 211 shapes. After an upgrade, 22 shapes are slower. 5 more differ by 0.3 us, which may be clock
// noise.
class RegressionReport : public testing::Test {
 protected:
  void SetUp() override {
    std::string before = kBlockscaleHeader, after = kBlockscaleHeader;
    for (int i = 1; i <= 211; ++i) {
      const double us = i <= 6 ? 3.0 : 10.0 + i;
      const double slower = i <= 6     ? us * 2  // golden times below 4 us
                            : i <= 28  ? us * 1.2
                            : i <= 33  ? us + 0.3
                            : i <= 100 ? us * 0.7
                                       : us;
      before += BlockscaleRow(i * 16, std::to_string(us));
      if (i != 211) after += BlockscaleRow(i * 16, std::to_string(slower), "kernel_b");
    }
    after += BlockscaleRow(100'000, "50");
    golden_ = folder_.Write("golden.csv", before);
    new_ = folder_.Write("tot.csv", after);
  }

  TempFolder folder_;
  std::string golden_, new_;
};

TEST_F(RegressionReport, is_a_table_and_fails_a_build_only_when_asked_to) {
  EXPECT_EQ(CompareCommand({golden_, new_}).code, kGood);
  const std::string out = folder_ / "compare.csv";
  const Ran failed = CompareCommand({golden_, new_, "--fail-on-regress", "--out", out});
  EXPECT_EQ(failed.code, kFinding);
  const std::string csv = agent::test::ReadText(out);
  EXPECT_THAT(csv, HasSubstr("# base: file=" + golden_));
  EXPECT_THAT(csv,
              HasSubstr("target,M,N,K,change,base_us,head_us,speedup,base_kernel,head_kernel"));
  EXPECT_THAT(csv,
              HasSubstr("gfx942:304,112,1280,8192,slower,17.0,20.4,0.8333,kernel_a,kernel_b\n"));
  EXPECT_THAT(
      failed.out,
      HasSubstr("22 slower, 1 not_measured_in_head, 1 not_measured_in_base, 6 below_floor"));
  EXPECT_EQ(CompareCommand({golden_, golden_, "--fail-on-regress"}).code, kGood);
  EXPECT_EQ(
      CompareCommand({golden_, new_, "--fail-on-regress", "--no-fail-on-missing", "--ratio", "1.3"})
          .code,
      kGood);
}

// A kernel that crashes has no time.
TEST_F(RegressionReport, a_shape_that_vanished_or_has_no_time_fails_the_gate) {
  const std::string golden =
      folder_.Write("g.csv", kBlockscaleHeader + BlockscaleRow(16, "9") + BlockscaleRow(32, "9"));
  for (const char* const us : {"inf", "0", ""}) {
    const std::string now =
        folder_.Write("n.csv", kBlockscaleHeader + BlockscaleRow(16, "9") + BlockscaleRow(32, us));
    const Ran ran = CompareCommand({golden, now, "--fail-on-regress"});
    EXPECT_EQ(ran.code, kFinding) << "us '" << us << "'";
    EXPECT_THAT(ran.err, HasSubstr("1 shape of " + golden + " without a time in " + now));
    EXPECT_THAT(ran.out, HasSubstr("        9.00            -        -  skipped "));
    EXPECT_EQ(CompareCommand({golden, now}).code, kGood);
    EXPECT_EQ(CompareCommand({golden, now, "--fail-on-missing"}).code, kFinding);
    EXPECT_EQ(CompareCommand({golden, now, "--fail-on-regress", "--no-fail-on-missing"}).code,
              kGood);
  }
  const std::string fewer = folder_.Write("f.csv", kBlockscaleHeader + BlockscaleRow(16, "9"));
  const Ran ran = CompareCommand({golden, fewer, "--fail-on-regress"});
  EXPECT_EQ(ran.code, kFinding);
  EXPECT_THAT(ran.out, HasSubstr("        9.00            -        -  not_measured_in_head "));
  EXPECT_EQ(CompareCommand({fewer, golden, "--fail-on-regress"}).code, kGood) << "a new shape";
}

TEST_F(RegressionReport, what_is_wrong_is_said_in_one_sentence) {
  const std::string other =
      folder_.Write("other.csv", kBlockscaleHeader + BlockscaleRow(90'000, "9"));
  const Ran ran = CompareCommand({golden_, other});
  EXPECT_EQ(ran.code, kFailed);
  EXPECT_THAT(
      ran.err,
      HasSubstr("both sides have no shape in common; the base has 211 shapes, the head has 1"));
  EXPECT_THAT(CompareCommand({golden_, new_, "--new-env", "rocm"}).err,
              HasSubstr("'rocm': expected NAME=VALUE"));
}

}  // namespace
}  // namespace tunehub::agent
