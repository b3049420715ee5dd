// The agent's commands that show and change a hub's runs and queue, and what they tell while they
// wait.
#include <sys/socket.h>

#include <regex>

#include "tests/e2e/queue/queue_hub.h"
#include "tests/support/comes.h"
#include "tests/support/program.h"
#include "tests/support/socket_hub.h"

namespace tunehub::test {
namespace {

using testing::ContainsRegex;
using testing::IsEmpty;
using testing::Not;

class HubCommands : public QueueHubTest {
 protected:
  static Finished AsAdmin(std::vector<std::string> arguments) {
    return RunAgent(std::move(arguments), {{"TUNEHUB_KEY", AdminKey()}});
  }
  static std::string Stored(const std::string& rows) {
    const Json receipt = JsonOf(Good(Submitter().Post(kResults, kHeader + rows)));
    return std::to_string(receipt.at("run").get<int>());
  }
};

TEST_F(HubCommands, runs_are_listed_the_newest_first_over_pages_and_one_is_shown) {
  const std::string first = Stored(Row(16, "9.5")), second = Stored(Row(32, "9.5"));
  const auto listed = RunAgent({"runs", "--limit", "1"});
  ASSERT_EQ(listed.status, 0) << listed.err;
  EXPECT_THAT(listed.out, ContainsRegex("^RUN  *RECEIVED .UTC.  *OWNER"));
  EXPECT_THAT(listed.out, HasSubstr("\n" + second + " "));
  EXPECT_THAT(listed.err, HasSubstr("the hub has more; --limit lists more"));
  const Json all = Json::parse(RunAgent({"runs", "--json", "--limit", "1000"}).out);
  EXPECT_EQ(all.at("runs"), JsonOf(Open().Get("/runs?counts=1&limit=100")).at("runs"));
  EXPECT_THAT(RunAgent({"runs", "--family", "fmoe"}).out, HasSubstr("the hub has none"));
  const auto shown = RunAgent({"runs", first});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("active: true\n"));
  EXPECT_THAT(shown.out, ContainsRegex("BATCH .*\n[0-9]+ .*results .*a8w8_blockscale"));
}

TEST_F(HubCommands, an_unknown_run_is_answered_with_the_code_and_the_next_command) {
  const auto done = RunAgent({"runs", "999999"});
  EXPECT_EQ(done.status, 2);
  EXPECT_EQ(done.err,
            "tunehub-agent runs: the hub answered 404 unknown_run: unknown run 999999; "
            "`tunehub-agent runs` lists the runs (unknown_run)\n");
}

TEST_F(HubCommands, a_revert_names_what_wins_now) {
  Stored(Row(48, "20"));
  const std::string better = Stored(With(Row(48, "10"), kOtherKernel));
  const auto dry = AsAdmin({"revert", better, "--dry-run"});
  EXPECT_EQ(dry.status, 0) << dry.err;
  EXPECT_THAT(dry.out,
              HasSubstr("run " + better + ": 1 shape keys would have another row or none"));
  const auto done = AsAdmin({"revert", better, "--allow-shrink"});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("run " + better + ": 1 shape keys have another row or none"));
  EXPECT_THAT(done.out, HasSubstr("  a8w8_blockscale: 1 changed, 0 of them without a row\n"));
  EXPECT_THAT(done.out, ContainsRegex("gfx942:80 .*M=48.* 20")) << "the row that wins now";
  EXPECT_THAT(done.out, HasSubstr(kKernel.substr(0, 40)));
  const auto again = AsAdmin({"revert", better});
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.err, HasSubstr("409 already_reverted"));
  EXPECT_THAT(RunAgent({"runs"}).out, ContainsRegex("\n" + better + " .* false .*20[0-9-]* "));
}

TEST_F(HubCommands, jobs_are_listed_by_state_and_a_parked_one_is_queued_again) {
  const std::string id = std::to_string(NewJob("gfx1100"));
  Good(Claim("node7", "gfx1100"));
  Good(Say("fail", std::stoll(id), "node7", 1, R"(,"reason":"no such kernel","park":true)"));
  const auto listed = RunAgent({"jobs", "--state", "parked"});
  ASSERT_EQ(listed.status, 0) << listed.err;
  EXPECT_THAT(listed.out,
              ContainsRegex("\n" + id + "  *parked  *tune  *a8w8_blockscale  *gfx1100"));
  const auto shown = RunAgent({"jobs", id});
  EXPECT_THAT(shown.out, HasSubstr("\nSHAPE\nM=16 N=1280 K=5120\n"));
  EXPECT_THAT(shown.out, HasSubstr("no such kernel"));
  const auto refused = RunAgent({"jobs", id, "--retry"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("wrong_scope"));
  const auto queued = AsAdmin({"jobs", id, "--retry"});
  EXPECT_THAT(queued.out, HasSubstr("state: queued\n")) << queued.err;
  EXPECT_THAT(AsAdmin({"jobs", id, "--retry"}).err, HasSubstr("409 not_parked"));
  EXPECT_EQ(Json::parse(RunAgent({"jobs", id, "--json"}).out), JsonOf(Open().Get("/jobs/" + id)));
  EXPECT_THAT(RunAgent({"jobs", "--state", "lost"}).err, HasSubstr("bad_"));
}

TEST_F(HubCommands, demand_lists_the_most_missed_shape_first) {
  Good(Submitter().Post("/untuned/a8w8_blockscale?gfx=gfx1101&cu_num=80",
                        "M,N,K,count\n16,301,3072,5\n16,302,3072,9\n"));
  const auto listed = RunAgent({"demand", "--gfx", "gfx1101"});
  ASSERT_EQ(listed.status, 0) << listed.err;
  EXPECT_THAT(listed.out, ContainsRegex("\n9 .*gfx1101:80 .*N=302.*\n5 .*N=301"));
  EXPECT_THAT(RunAgent({"demand", "--family", "a8w8_blokscale"}).err, HasSubstr("unknown_family"));
}

TEST_F(HubCommands, a_dry_run_of_an_import_sends_nothing) {
  std::filesystem::create_directories(Path("configs"));
  Write("configs/a8w8_blockscale_tuned_gemm.csv", kHeader + Row(64, "9.5"));
  const std::string before = HubTest::Stored();
  const auto done = AsAdmin({"import", Path("configs"), "--dry-run"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("nothing was sent"));
  EXPECT_EQ(HubTest::Stored(), before);
}

TEST_F(HubCommands, verbose_prints_each_request_and_quiet_only_errors) {
  const auto loud = RunAgent({"runs", "-v", "--limit", "1"});
  EXPECT_THAT(loud.err, ContainsRegex("GET " + server_->url() +
                                      "/runs.counts=1&limit=1: 200, [0-9]+ ms, try 1\n"));
  EXPECT_THAT(loud.err, Not(HasSubstr(submit_key_)));
  EXPECT_THAT(RunAgent({"runs", "--quiet", "--limit", "1"}).err, IsEmpty());
  EXPECT_THAT(RunAgent({"runs", "--quiet", "999999"}).err, HasSubstr("unknown_run"));
}

// Answers one request when it is told to.
class LateHub {
 public:
  LateHub() : listener_(ListenOnLoopback(port_)) {}
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  void Answer() {
    const core::Fd peer(::accept(listener_.get(), nullptr, nullptr));
    std::string request(4096, '\0');
    ASSERT_GT(::recv(peer.get(), request.data(), request.size(), 0), 0);
    const std::string body = R"({"runs":[]})";
    const std::string answer =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
        "Content-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body;
    ASSERT_EQ(::send(peer.get(), answer.data(), answer.size(), 0),
              static_cast<ssize_t>(answer.size()));
  }

 private:
  int port_ = 0;
  core::Fd listener_;
};

TEST(AgentWaits, for_a_hub_and_says_so_after_a_second) {
  const TempDir dir;
  LateHub hub;
  Program agent({AgentBinary(), {"runs", "--hub", hub.url()}}, dir / "out", dir / "err");
  ASSERT_TRUE(Comes([&] { return !ReadText(dir / "err").empty(); }));
  hub.Answer();
  EXPECT_EQ(agent.Wait(std::chrono::seconds(60)), 0);
  EXPECT_EQ(ReadText(dir / "err"), "waiting for " + hub.url() + " (GET /runs, try 1 of 6)\n");
}

TEST(AgentWaits, and_names_why_the_last_try_failed_unless_it_is_quiet) {
  const auto run = [](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"runs", "--hub", "http://127.0.0.1:1", "--tries", "4"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunToEnd({AgentBinary(), arguments});
  };
  const auto done = run({});
  EXPECT_EQ(done.status, 2);
  EXPECT_THAT(done.err, ContainsRegex("waiting for http://127.0.0.1:1 .GET /runs, try [23] of 4: "
                                      "Connection refused"));
  EXPECT_EQ(run({"--quiet"}).err,
            "tunehub-agent runs: the hub at http://127.0.0.1:1: Connection refused "
            "(hub_unreachable)\n");
}

TEST(AgentHelp, help_prints_what_the_option_prints_and_groups_the_commands) {
  for (const std::string command : {"pull", "help", "runs", "man"}) {
    const auto by_help = RunToEnd({AgentBinary(), {"help", command}});
    EXPECT_EQ(by_help.status, 0) << by_help.err;
    EXPECT_EQ(by_help.out, RunToEnd({AgentBinary(), {command, "--help"}}).out);
    EXPECT_THAT(by_help.out, HasSubstr("--quiet"));
  }
  EXPECT_THAT(RunToEnd({AgentBinary(), {"help", "triton", "merge"}}).out,
              HasSubstr("tunehub-agent triton merge"));
  const auto wrong = RunToEnd({AgentBinary(), {"help", "pul"}});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("unknown command 'pul'; did you mean pull?"));
  const std::string agent = RunToEnd({AgentBinary(), {"help"}}).out;
  EXPECT_THAT(agent, HasSubstr("\ntables on disk:\n  merge "));
  const std::string codes = agent.substr(agent.find("Exit codes:"));
  EXPECT_THAT(RunToEnd({ServerBinary(), {"--help"}}).out, HasSubstr(codes));
}

}  // namespace
}  // namespace tunehub::test
