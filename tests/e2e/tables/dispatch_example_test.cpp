// The example program of libtunehub_dispatch on a table of a real server.
#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

class DispatchExample : public HubTest {
 protected:
  static void SetUpTestSuite() {
    HubTest::SetUpTestSuite();
    Good(Submitter().Post(kResults, kHeader + Row(16, "12.5") + Row(48, "20.5")));
  }
  Finished Run(std::vector<std::string> arguments) const {
    const std::string table = Write("table.csv", Open().Get(kTable).body);
    arguments.insert(arguments.begin(), {table, "--gfx", "gfx942", "--cu-num", "80"});
    return RunToEnd({ExampleBinary(), std::move(arguments), {}});
  }
};

TEST_F(DispatchExample, prints_the_answers_of_a_served_table) {
  const Finished run = Run({"--gemm", "2048x3072", "--m", "16,33,65"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("     16    2048    3072  exact           16    12.5000  ck " +
                                 kKernel + " splitK=2\n"));
  EXPECT_THAT(run.out, HasSubstr("     33    2048    3072  gl0             48    20.5000  ck " +
                                 kKernel + " splitK=2\n"));
  EXPECT_THAT(run.out, HasSubstr("     65    2048    3072  default "));
}

TEST_F(DispatchExample, names_what_is_wrong_with_its_arguments) {
  EXPECT_EQ(Run({"--gemm", "12"}).err, "dispatch-example: '12' is not NxK such as 1280x5120\n");
  const Finished run = Run({"--gemm", "8x8", "--m", "0"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("--m"));
}

}  // namespace
}  // namespace tunehub::test
