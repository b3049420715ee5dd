// The daemon's messages about a hub that refuses it, on a fake clock. Also the identity of agents.
#include <nlohmann/json.hpp>

#include "agent/daemon/instance.h"
#include "agent/daemon/job_tuner.h"
#include "agent/device/this_device.h"
#include "agent/hub/hub_client.h"
#include "tests/support/result.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

const core::Error kAway{kHubUnreachable, "http://hub: connection refused"};
const core::Error kKeyRevoked{kKeyRefused, "the hub answered 401 revoked_key: the key was revoked"};

class HubTrouble : public testing::Test {
 protected:
  HubWatch::Clock::time_point now_{};
  std::vector<std::string> said_;
  HubWatch watch_{[this] { return now_; },
                  [this](const std::string& text) { said_.push_back(text); }};
};

TEST_F(HubTrouble, a_hub_that_is_away_is_one_line_at_once_and_one_an_hour) {
  for (int i = 0; i < 3 * 60; ++i, now_ += minutes(1)) EXPECT_TRUE(watch_.Note(kAway).ok());
  EXPECT_THAT(said_, ElementsAre(kAway.detail, kAway.detail, kAway.detail));
  EXPECT_EQ(watch_.wrong(), kAway.detail);
  EXPECT_TRUE(watch_.Note(core::Ok()).ok());
  EXPECT_EQ(said_.back(), "the hub answers again");
  EXPECT_EQ(watch_.wrong(), "");
  EXPECT_TRUE(watch_.Note(kAway).ok());
  EXPECT_EQ(said_.size(), 5U) << "the daemon also reports the next absence at once";
}

TEST_F(HubTrouble, a_batch_that_is_too_large_for_a_proxy_is_no_absent_hub) {
  EXPECT_TRUE(watch_.Note(core::Error{kTooLargeBetween, "413"}).ok());
  EXPECT_TRUE(said_.empty());
  EXPECT_EQ(watch_.wrong(), "");
}

TEST_F(HubTrouble, a_key_that_is_refused_for_a_minute_ends_the_daemon) {
  EXPECT_TRUE(watch_.Note(kAway).ok());
  EXPECT_TRUE(watch_.Note(kKeyRevoked).ok());
  EXPECT_THAT(said_.back(),
              HasSubstr("the hub refuses the API key: the hub answered 401 revoked_key"));
  now_ += seconds(59);
  EXPECT_TRUE(watch_.Note(kKeyRevoked).ok());
  EXPECT_TRUE(watch_.Note(kAway).ok()) << "an absent hub does not refuse the key";
  now_ += seconds(1);
  const auto ended = watch_.Note(kKeyRevoked);
  EXPECT_EQ(ErrorCode(ended), kKeyRefused);
  EXPECT_THAT(ended.error().detail, HasSubstr("refused its API key for 60 s"));
}

TEST_F(HubTrouble, a_key_that_is_taken_again_is_given_a_full_minute_the_next_time) {
  EXPECT_TRUE(watch_.Note(kKeyRevoked).ok());
  now_ += seconds(40);
  EXPECT_TRUE(watch_.Note(core::Error{"lease_lost", "job 3 is queued"}).ok());
  EXPECT_EQ(watch_.wrong(), "") << "the hub answered, so it accepts the key";
  EXPECT_TRUE(watch_.Note(kKeyRevoked).ok());
  now_ += seconds(59);
  EXPECT_TRUE(watch_.Note(kKeyRevoked).ok());
}

TEST(HubProblem, what_a_proxy_says_is_no_word_of_the_hub) {
  const auto code = [](int status, const std::string& body,
                       const std::string& type = "application/problem+json") {
    return HubErrorOf(ProblemOf(Answer{status, {{"content-type", type}}, body})).code;
  };
  EXPECT_EQ(code(404, "<html>no such site</html>"), kHubUnavailable);
  EXPECT_EQ(code(404, R"({"code":"unknown_job","status":404})"), "unknown_job");
  EXPECT_EQ(code(503, R"({"code":"database_unavailable"})"), kHubUnavailable);
  EXPECT_EQ(code(401, R"({"code":"wrong_key"})"), kKeyRefused);
  EXPECT_EQ(code(403, R"({"code":"wrong_scope"})"), "wrong_scope")
      << "waiting does not fix a wrong scope";
  EXPECT_EQ(code(403, "<html>not from here</html>"), kHubUnavailable);
  const std::string gateways = R"({"code":"not_found","message":"no route"})";
  EXPECT_EQ(code(404, gateways, "application/json"), kHubUnavailable);
  EXPECT_EQ(code(404, R"({"code":"unknown_job","status":502})"), kHubUnavailable);
  EXPECT_EQ(code(404, R"({"code":"NoSuchRoute"})"), kHubUnavailable);
  EXPECT_EQ(code(404, R"({"code":"unknown_job"})", "Application/Problem+JSON; charset=utf-8"),
            "unknown_job");
}

TEST(HubProblem, what_a_hub_says_is_plain_text_whose_further_lines_are_indented) {
  const std::string body =
      R"({"code":"bad","detail":"a\u001b[2J\nforged: installed \u202egnp","errors":[)"
      R"({"row":1,"column":"\u009b2J","code":"c\n","detail":"d\u0007"}]})";
  const auto problem = ProblemOf(Answer{422, {{"content-type", "application/problem+json"}}, body});
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(problem.detail, "a" + mark + "[2J\n  forged: installed " + mark + "gnp");
  ASSERT_EQ(problem.errors.size(), 1U);
  EXPECT_EQ(problem.errors[0].column, mark + "2J");
  EXPECT_EQ(problem.errors[0].code, "c" + mark);
  EXPECT_EQ(problem.errors[0].detail, "d" + mark);
}

TEST(HubProblem, is_bounded) {
  nlohmann::json said = {{"code", "bad"}, {"detail", std::string(1'000'000, 'A')}};
  said["errors"] = std::vector<nlohmann::json>(20'000, {{"row", 1}});
  const auto problem = ProblemOf(Answer{422, {}, said.dump()});
  EXPECT_EQ(problem.detail.size(), 4000U);
  EXPECT_EQ(problem.errors.size(), kMaxRowIssues);
}

TEST(DaemonInstance, is_kept_from_start_to_start_and_locked_meanwhile) {
  const agent::test::TempFolder folder;
  std::string id;
  {
    const auto first = Must(Instance::Open(folder / "a", "node7/cpu:0"));
    id = first.id();
    EXPECT_EQ(ErrorCode(Instance::Open(folder / "a", "node7/cpu:0")), "already_runs");
    EXPECT_NE(Instance::Open(folder / "b", "node7/cpu:0")->id(), id);
  }
  EXPECT_EQ(Instance::Open(folder / "a", "node7/cpu:0")->id(), id);
}

TEST(DaemonInstance, of_a_copied_folder_is_another) {
  const agent::test::TempFolder folder;
  const std::string id = Instance::Open(folder / "a", "node7/cpu:0")->id();
  EXPECT_NE(Instance::Open(folder / "a", "node8/cpu:0")->id(), id);
  const std::string damaged = Instance::Open(folder / "a", "node8/cpu:0")->id();
  folder.Write("a/instance.json", "\x7f\x01 rubbish");
  EXPECT_NE(Instance::Open(folder / "a", "node8/cpu:0")->id(), damaged);
}

TEST(CpuList, is_read_and_written_as_the_system_does) {
  EXPECT_THAT(*ReadCpuList("8,0-2,1"), ElementsAre(0, 1, 2, 8));
  EXPECT_EQ(CpuListText({0, 1, 2, 8}), "0-2,8");
  for (const char* text : {"", "a", "1-", "-1", "2-1", "0,,1", "0-99999999999"}) {
    const auto cpus = ReadCpuList(text);
    ASSERT_FALSE(cpus.ok()) << text;
    EXPECT_THAT(cpus.error().detail, HasSubstr("--cpus " + std::string(text)));
  }
}

}  // namespace
}  // namespace tunehub::agent
