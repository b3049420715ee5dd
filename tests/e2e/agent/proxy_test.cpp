// A proxy answers instead of the hub. The agent retries after each of its answers, and reports that
// the answer was not the hub's.
#include <thread>

#include "tests/e2e/agent/daemon_fixture.h"
#include "tests/support/scripted_proxy.h"

namespace tunehub::test {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::Not;

struct Interjection {
  const char *status, *type, *body, *named;
};

// Answers of nginx, gateways and login pages.
constexpr Interjection kSaid[] = {
    {"413 Request Entity Too Large", "text/html", "<html>413</html>", "answered 413 as text/html"},
    {"404 Not Found", "text/html", "<html>no such site</html>", "answered 404 as text/html"},
    {"502 Bad Gateway", "text/html", "<html>502</html>", "answered 502 as text/html"},
    {"404 Not Found", "application/json", R"({"code":"not_found"})", "404 as application/json"},
    {"422 Unprocessable", "application/problem+json", R"({"title":"no","status":422})",
     "answered 422 as application/problem+json"},
    {"302 Found\r\nLocation: https://login.example/", "text/html", "", "https://login.example/"},
    {"200 OK", "text/html; charset=utf-8", "<html>log in</html>", "answered 200 as text/html"},
};

class ProxyTest : public CpuDaemonTest {
 protected:
  Finished Agent(std::vector<std::string> arguments) const {
    return RunAgent(std::move(arguments),
                    {{"TUNEHUB_HUB", proxy_.url()}, {"TUNEHUB_SPOOL", Path("spool")}});
  }
  std::string Table(int m) const {
    return Write("a8w8_blockscale_tuned_gemm.csv", kHeader + Row(m, "7.5"));
  }

  Command Daemon(const std::vector<std::string>& more) const {
    Command command = CpuDaemonTest::Daemon(more);
    command.environment["TUNEHUB_HUB"] = proxy_.url();
    command.environment["TUNEHUB_SPOOL"] = Path("spool");
    return command;
  }
  // Waits up to a minute until the job's state is `wanted`. Returns its last state.
  static std::string StateIn(int job, const std::string& wanted) {
    std::string state;
    Comes([&] { return (state = StateOf(job)) == wanted; });
    return state;
  }

  ScriptedProxy proxy_{server_->port()};
};

TEST_F(ProxyTest, a_push_is_tried_again_and_arrives_once) {
  int m = 1;
  for (const Interjection& said : kSaid) {
    const std::string file = Table(m++);
    proxy_.Say("/results/", 1, said.status, said.type, said.body);
    const Finished given_up = Agent({"push", file, "--tries", "1"});
    EXPECT_EQ(given_up.status, 2) << said.status;
    EXPECT_THAT(given_up.err, AllOf(HasSubstr("something between this agent and the hub"),
                                    HasSubstr("nginx/1.22.1"), HasSubstr(said.named)));
    EXPECT_FALSE(std::filesystem::exists(Path("spool/refused")) &&
                 !std::filesystem::is_empty(Path("spool/refused")))
        << said.status;
    proxy_.Say("/results/", 1, said.status, said.type, said.body);
    const Finished sent = Agent({"push"});
    EXPECT_EQ(sent.status, 0) << said.status << sent.err;
    EXPECT_EQ(proxy_.Said("/results/"), 1) << said.status;
    EXPECT_THAT(Open().Get(kTable).body, HasSubstr(Row(m - 1, "7.5").substr(0, 24)));
  }
}

// Claims, heartbeats, results and completions go through a proxy whose hub is being replaced.
TEST_F(ProxyTest, a_daemon_ends_its_job_whatever_is_said_in_the_hubs_place) {
  const int job = NewJob({{1, 64}});
  const char* const kParts[] = {"/agents", "/jobs/claim", "/heartbeat", "/results/", "/complete"};
  for (const char* part : kParts) proxy_.SayPage(part, 2, "404 Not Found");
  Program daemon(Daemon({}), Path("out"), Path("err"));
  EXPECT_EQ(StateIn(job, "done"), "done") << Read("out") << Read("err");
  Stop(daemon);
  for (const char* part : {"/agents", "/jobs/claim", "/results/", "/complete"}) {
    EXPECT_EQ(proxy_.Said(part), 2) << part;
  }
}

TEST_F(ProxyTest, results_that_are_too_large_for_it_wait_in_the_spool_and_the_job_says_so) {
  const int job = NewJob({{1, 128}});
  proxy_.SayPage("/results/", 1000, "413 Request Entity Too Large");
  Program daemon(Daemon({"--tries", "1"}), Path("out"), Path("err"));
  EXPECT_EQ(StateIn(job, "parked"), "parked") << Read("out") << Read("err");
  EXPECT_THAT(Job(job)["reasons"].dump(),
              AllOf(HasSubstr("the results wait in the spool"), HasSubstr("answered 413")));
  std::this_thread::sleep_for(milliseconds(1000));
  Stop(daemon);
  const std::string out = Read("out");
  EXPECT_THAT(out, Not(HasSubstr("the hub answers again")));
  proxy_.SayPage("/results/", 0, "413 Request Entity Too Large");
  EXPECT_EQ(Agent({"push"}).status, 0) << "the agent must lose no row";
}

}  // namespace
}  // namespace tunehub::test
