// Speed-ups and what counts as slower.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/tuning/speedup.h"

namespace tunehub::agent::tuning {
namespace {

TunedRow Row(const std::string& order, double us) {
  TunedRow row;
  row.order = order;
  row.us = us;
  return row;
}

std::vector<std::string> Changes(const std::vector<TunedRow>& before,
                                 const std::vector<TunedRow>& after) {
  std::vector<std::string> changes;
  for (const Compared& it : Compare(before, after))
    changes.push_back(it.order + " " + Name(it.change));
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

TEST(TuningCompare, TheGeometricMeanOfTwoAndEightIsFour) {
  EXPECT_DOUBLE_EQ(GeometricMean({2, 8}), 4);
}

TEST(TuningCompare, AnEvenNumberOfSamplesHasItsMedianBetweenTwo) {
  EXPECT_DOUBLE_EQ(Median({4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(Median({5, 1, 3}), 3);
}

}  // namespace
}  // namespace tunehub::agent::tuning
