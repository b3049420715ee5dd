// Speed-ups and what counts as slower.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/tuning/speedup.h"
#include "tests/unit/agent_support.h"
#include "tests/unit/tuning_support.h"

namespace tunehub::agent::tuning {
namespace {

Timed Row(const std::string& target, double us) {
  return {target, test::Shape(16), us};
}

std::vector<std::string> Changes(const std::vector<Timed>& before,
                                 const std::vector<Timed>& after) {
  std::vector<std::string> changes;
  for (const Compared& it : Compare(before, after)) {
    changes.push_back(it.target + " " + Name(it.change));
  }
  return changes;
}

TEST(TuningCompare, JoinsByShapeAndNamesWhatIsOnlyOnOneSide) {
  EXPECT_THAT(Changes({Row("a", 100), Row("b", 100), Row("gone", 9)},
                      {Row("b", 50), Row("a", 200), Row("new", 9)}),
              testing::ElementsAre("a slower", "b faster", "gone removed", "new new"));
}

TEST(TuningCompare, SlowerIsMoreThanHalfAPercentAndHalfAMicrosecond) {
  EXPECT_THAT(Changes({Row("a", 100), Row("b", 100)}, {Row("a", 100.9), Row("b", 101.1)}),
              testing::ElementsAre("a same", "b slower"));
}

TEST(TuningCompare, TimesBelowFourMicrosecondsSayNothing) {
  EXPECT_THAT(Changes({Row("a", 3.9)}, {Row("a", 30)}), testing::ElementsAre("a ignored"));
}

TEST(TuningCompare, ReadsTunedTablesAndWhatAnOperatorsBenchmarkWrites) {
  const Configuration configuration = agent::test::RealConfiguration();
  const core::Family& family = *configuration.families.Find("a8w8_blockscale");
  const auto tuned = ReadTimes(
      family, "tuned.csv", agent::test::kBlockscaleHeader + agent::test::BlockscaleRow(16, "8.5"));
  ASSERT_TRUE(tuned.ok()) << tuned.error().detail;
  EXPECT_EQ(tuned->at(0).target, "gfx942:304");
  const auto bench =
      ReadTimes(family, "bench.csv", "M,N,K,us,status\n16,1280,8192,9.5,OK\n32,1280,8192,,ERROR\n");
  ASSERT_TRUE(bench.ok()) << bench.error().detail;
  ASSERT_EQ(bench->size(), 1U) << "what did not run has no time";
  EXPECT_EQ(bench->at(0).shape, tuned->at(0).shape);
  EXPECT_EQ(ReadTimes(family, "x.csv", "M,N,K\n1,2,3\n").error().code, "no_times");
}

TEST(TuningCompare, TheGeometricMeanOfTwoAndEightIsFour) {
  EXPECT_DOUBLE_EQ(GeometricMean({2, 8}), 4);
}

TEST(TuningCompare, AnEvenNumberOfSamplesHasItsMedianBetweenTwo) {
  EXPECT_DOUBLE_EQ(Median({4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(Median({5, 1, 3}), 3);
}

}  // namespace
}  // namespace tunehub::agent::tuning
