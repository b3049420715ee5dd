// GET /tuned?max_err=X serves only rows with an error of at most X.
#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

using MaxErrTest = HubTest;

TEST_F(MaxErrTest, a_key_is_served_by_its_best_candidate_below_the_error_or_not_at_all) {
  const std::string fast = Erring(Row(1, "5.0"), "0.04");
  const std::string right = With(Row(1, "6.0"), kOtherKernel);
  const std::string alone = Erring(Row(2, "5.5"), "0.04");
  ASSERT_EQ(Verdict(Submitter().Post(kResults, kHeader + fast + right + alone)), "200");
  const auto table = [](const std::string& query) { return Open().Get(kTable + query).body; };
  EXPECT_EQ(table(""), kHeader + fast + alone);
  EXPECT_EQ(table("&max_err=0.04"), table(""));
  EXPECT_EQ(table("&max_err=0.01"), kHeader + right);
  EXPECT_EQ(table("&max_err=0&libtype=ck"), kHeader + right);
  EXPECT_EQ(table("&max_err=0.01&prefer=rocm=6.4"), kHeader + right);
  EXPECT_EQ(Verdict(Open().Get(kTable + "&M=2&max_err=0.01")), "404 no_rows");
  ASSERT_EQ(PutBuild("first", BuildOf(kKernel)).status, 201);
  EXPECT_EQ(table("&build=first"), kHeader + fast + alone);
  EXPECT_EQ(Verdict(Open().Get(kTable + "&build=first&max_err=0.01")), "404 no_rows")
      << "a substitute must not be above the limit either";
  for (const char* bad : {"2", "-0.1", "nan", "inf", "1e999", "x", ""}) {
    const RawAnswer refused = Open().Get(kTable + "&max_err=" + bad);
    EXPECT_EQ(Verdict(refused), "422 bad_max_err");
    EXPECT_THAT(refused.body,
                HasSubstr("max_err: '" + std::string(bad) + "': expected a number from 0 to 1"));
  }
  EXPECT_EQ(Verdict(Open().Get(kTable + "&max_err=0.1&revision=1")), "400 bad_parameter");
}

}  // namespace
}  // namespace tunehub::test
