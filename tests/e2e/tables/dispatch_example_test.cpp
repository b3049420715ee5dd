// The example program of libtunehub_dispatch against the real server.
#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class DispatchExample : public HubTest {
 protected:
  static void SetUpTestSuite() {
    HubTest::SetUpTestSuite();
    const auto stored = Submitter().Post(kResults, kHeader + Row(16, "12.5") + Row(48, "20.5"));
    EXPECT_EQ(stored.status, 200) << stored.body;
  }
  static Finished Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), server_->url() + "/");
    return RunToEnd({ExampleBinary(), std::move(arguments), {}});
  }
};

TEST_F(DispatchExample, prints_the_answers_of_a_served_table) {
  const Finished run = Run({"--gemm", "2048x3072", "--m", "16,33,65", "--gfx", "gfx942", "--cu-num",
                            "80", "--lookup-only"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith("a8w8_blockscale: 2 rows\n"));
  EXPECT_THAT(run.out, HasSubstr("     16  gemm           2048    3072  exact           16    "
                                 "12.5000  ck " +
                                 kKernel + " splitK=2\n"));
  EXPECT_THAT(run.out, HasSubstr("     33  gemm           2048    3072  gl0             48    "
                                 "20.5000  ck " +
                                 kKernel + " splitK=2\n"));
  EXPECT_THAT(run.out, HasSubstr("     65  gemm           2048    3072  default "));
}

TEST_F(DispatchExample, hands_on_what_the_hub_says) {
  const Finished run = Run({"--gemm", "2048x3072", "--gfx", "gfx999", "--lookup-only"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("/tuned/a8w8_blockscale?gfx=gfx999 ended with 22: {"));
  EXPECT_THAT(run.err, HasSubstr("no_rows"));
}

TEST_F(DispatchExample, names_what_is_wrong_with_its_arguments) {
  const auto told = [](std::vector<std::string> arguments) {
    const Finished run = Run(std::move(arguments));
    EXPECT_EQ(run.status, 2);
    return run.err;
  };
  EXPECT_THAT(told({}), HasSubstr("--model or --gemm is required"));
  EXPECT_THAT(told({"--gemm", "12", "--gfx", "gfx942", "--lookup-only"}),
              StartsWith("dispatch-example: '12' is not NxK such as 1280x5120\n"));
  EXPECT_THAT(told({"--gemm", "8x8", "--gfx", "gfx942"}),
              HasSubstr("--gfx goes with --lookup-only"));
  EXPECT_THAT(told({"--model", "gpt", "--gfx", "gfx942", "--lookup-only"}),
              HasSubstr("there is no model 'gpt'"));
  EXPECT_THAT(told({"--gemm", "8x8", "--m", "0", "--gfx", "gfx942", "--lookup-only"}),
              HasSubstr("--m"));
  EXPECT_THAT(told({"--gemm", "8x8", "--gfx", "gfx942", "--columns", "B=1", "--lookup-only"}),
              HasSubstr("unknown_column: B"));
}

}  // namespace
}  // namespace tunehub::test
