// `push` sends a wrong result for a candidate that has a time. Its report must list the withdrawn
// row and the earlier time.
#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

using MeasuredStaysTest = HubTest;

TEST_F(MeasuredStaysTest, the_agents_push_report_says_what_was_withdrawn) {
  const std::string right = Row(7, "14.63");
  ASSERT_EQ(Verdict(Submitter().Post(kResults, kHeader + right)), "200");
  const std::string file = Write("wrong.csv", kHeader + Erring(right, "0.9"));
  const auto pushed =
      RunAgent({"push", "--family", "a8w8_blockscale", file, "--spool", Path("spool")});
  EXPECT_EQ(pushed.status, 1) << pushed.err;
  EXPECT_THAT(pushed.out, HasSubstr("1 withdrawn"));
  EXPECT_THAT(pushed.out, HasSubstr("the earlier 14.63 us of run"));
}

}  // namespace
}  // namespace tunehub::test
