// What a later push of the same candidate may change, and what not, through the whole hub.

#include "tests/e2e/hub_fixture.h"
#include "tests/support/program.h"

namespace tunehub::test {
namespace {

using testing::HasSubstr;

const std::string kPlain = "/tuned/a8w8_blockscale?gfx=gfx942&cu_num=80&M=";

std::string Wrong(std::string row) {
  return row.replace(row.rfind("0.0"), 3, "0.9");
}

class MeasuredStaysTest : public HubTest {
 protected:
  // Of a run of its own, which is later than those before.
  static nlohmann::json Push(const std::string& rows, const std::string& host = "a") {
    const auto run = Submitter().Post("/runs", R"({"host":")" + host + R"(","arguments":[")" +
                                                   std::to_string(++pushed_) + "\"]}");
    EXPECT_EQ(run.status, 201) << run.body;
    const auto sent =
        Submitter().Post(kResults + "?run=" + JsonOf(run).at("id").dump(), kHeader + rows);
    EXPECT_EQ(sent.status, 200) << sent.body;
    return JsonOf(sent);
  }
  static std::string Served(int m) { return Open().Get(kPlain + std::to_string(m)).body; }
  static nlohmann::json Shape(int m) {
    return JsonOf(Open().Get("/shapes/a8w8_blockscale?gfx=gfx942&cu_num=80&N=2048&K=3072&M=" +
                             std::to_string(m)));
  }
  static inline int pushed_ = 0;
};

TEST_F(MeasuredStaysTest, the_agents_push_report_says_what_was_withdrawn) {
  Push(Row(7, "14.63"));
  const std::string file = Write("wrong.csv", kHeader + Wrong(Row(7, "14.63")));
  const auto pushed = RunToEnd({AgentBinary(),
                                {"push", "--family", "a8w8_blockscale", file},
                                {{"TUNEHUB_HUB", server_->url()},
                                 {"TUNEHUB_KEY", submit_key_},
                                 {"TUNEHUB_SPOOL", Path("spool")}}});
  EXPECT_EQ(pushed.status, 1) << pushed.err;
  EXPECT_THAT(pushed.out, HasSubstr("1 withdrawn"));
  EXPECT_THAT(pushed.out, HasSubstr("its 14.63 us of run"));
}

TEST_F(MeasuredStaysTest, one_hosts_crash_leaves_the_row_marks_the_key_and_is_measured_again) {
  Push(Row(9, "14.63"), "healthy");
  const auto receipt = Push(Row(9, "-1"), "broken");
  EXPECT_EQ(Served(9), kHeader + Row(9, "14.63"));
  EXPECT_EQ(Shape(9).at("in_doubt"), true);
  ASSERT_EQ(receipt.at("measure_jobs").size(), 1U) << receipt;
  const auto job = JsonOf(Open().Get("/jobs/" + receipt["measure_jobs"][0].dump()));
  EXPECT_EQ(job.at("purpose"), "measure");
  EXPECT_EQ(job.at("state"), "queued");
  EXPECT_EQ(job.at("shapes"), nlohmann::json::parse(R"([{"M":"9","N":"2048","K":"3072"}])"));
  EXPECT_EQ(Push(Row(9, "inf"), "broken").at("measure_jobs").size(), 0U) << "it is planned";
  Push(Row(9, "15.5"), "healthy");
  EXPECT_EQ(Shape(9).at("in_doubt"), false);
  EXPECT_EQ(Served(9), kHeader + Row(9, "15.5"));
}

}  // namespace
}  // namespace tunehub::test
