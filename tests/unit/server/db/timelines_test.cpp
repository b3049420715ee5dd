#include <gtest/gtest.h>

#include "server/db/host_watch.h"

namespace tunehub::server {
namespace {

using std::chrono::seconds;

const Timelines::Clock::time_point kBegin{seconds(1'000)};

TEST(Timelines, a_lower_one_of_a_system_is_an_old_primarys) {
  Timelines timelines;
  EXPECT_FALSE(timelines.Heard({"a", 1}, kBegin));
  EXPECT_FALSE(timelines.Heard({"a", 3}, kBegin)) << "a promotion";
  EXPECT_FALSE(timelines.Heard({"a", 3}, kBegin));
  EXPECT_TRUE(timelines.IsLower({"a", 2}));
  EXPECT_TRUE(timelines.Heard({"a", 2}, kBegin));
  EXPECT_FALSE(timelines.Heard({"b", 1}, kBegin)) << "another system";
  EXPECT_FALSE(timelines.IsLower({"a", 3}));
}

TEST(Timelines, one_that_nobody_knows_says_nothing) {
  Timelines timelines;
  EXPECT_FALSE(timelines.Heard({"a", 2}, kBegin));
  EXPECT_FALSE(timelines.Heard({"a", 0}, kBegin)) << "in recovery";
  EXPECT_FALSE(timelines.IsLower({"a", 0}));
  EXPECT_FALSE(timelines.Heard({"", 1}, kBegin)) << "a role without the right to read it";
  EXPECT_FALSE(timelines.IsLower({"", 1}));
}

TEST(Timelines, one_that_is_all_there_is_for_the_limit_is_believed) {
  Timelines timelines;
  timelines.Heard({"a", 3}, kBegin);
  EXPECT_TRUE(timelines.Heard({"a", 2}, kBegin + seconds(100)));
  EXPECT_TRUE(timelines.Heard({"a", 2}, kBegin + seconds(100) + kOldPrimaryLimit - seconds(1)));
  EXPECT_TRUE(timelines.IsLower({"a", 2}));
  EXPECT_FALSE(timelines.Heard({"a", 2}, kBegin + seconds(100) + kOldPrimaryLimit));
  EXPECT_FALSE(timelines.IsLower({"a", 2}));
  EXPECT_TRUE(timelines.Heard({"a", 1}, kBegin + seconds(200))) << "an even lower timeline";
}

TEST(Timelines, one_is_never_believed_while_the_higher_answers) {
  Timelines timelines;
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(timelines.Heard({"a", 2}, kBegin + seconds(40 * i)));
    EXPECT_TRUE(timelines.Heard({"a", 1}, kBegin + seconds(40 * i + 20)));
  }
}

}  // namespace
}  // namespace tunehub::server
