// The daemon on a real queue: it claims a job, tunes on this machine's CPU, pushes, and completes
// the job.
#include <csignal>
#include <map>
#include <set>
#include <thread>

#include "tests/e2e/agent/daemon_fixture.h"

namespace tunehub::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class DaemonTest : public CpuDaemonTest {
 protected:
  static std::string Target() {
    return "gfx=" + device_["gfx"].get<std::string>() +
           "&cu_num=" + std::to_string(device_["cu_num"].get<int>());
  }
  static void AwaitState(int id, const std::string& state) {
    while (StateOf(id) != state) std::this_thread::sleep_for(milliseconds(20));
  }
};

TEST_F(DaemonTest, a_job_is_claimed_tuned_pushed_and_completed_and_a_signal_ends_it_well) {
  const int id = NewJob({{1, 64}, {16, 64}});
  Program daemon(Daemon({"--status", Path("status")}), Path("out"), Path("err"));
  AwaitState(id, "done");
  const auto status = RunToEnd({AgentBinary(), {"status", "--json", "--status", Path("status")}});
  EXPECT_EQ(status.status, 0) << status.out << status.err;
  Stop(daemon);
  const auto job = Job(id);
  ASSERT_TRUE(job["run"].is_number()) << job;
  const auto served = Open().Get("/tuned/a8w8?" + Target() + "&N=64");
  EXPECT_EQ(std::count(served.body.begin(), served.body.end(), '\n'), 3) << served.body;
  EXPECT_THAT(Read("out"), testing::HasSubstr("done, 2 of 2 shapes tuned"));
}

TEST_F(DaemonTest, a_killed_daemon_finishes_its_job_and_nothing_is_double) {
  std::vector<std::pair<int, int>> shapes;
  for (int m : {1, 2, 4, 8, 16, 32}) shapes.emplace_back(m, 96);
  const int id = NewJob(shapes);
  {
    Program daemon(Daemon(), Path("out"), Path("err"));
    while (Open().Get("/tuned/a8w8?" + Target() + "&N=96").status != 200) {
      std::this_thread::sleep_for(milliseconds(10));
    }
    daemon.Signal(SIGKILL);
    daemon.Wait(seconds(20));
  }
  EXPECT_EQ(Job(id)["state"], "running");
  Program daemon(Daemon(), Path("out"), Path("err"));
  AwaitState(id, "done");
  Stop(daemon);
  for (const auto& [m, n] : shapes) {
    const auto answer =
        JsonOf(Open().Get("/shapes/a8w8?" + Target() + "&M=" + std::to_string(m) + "&N=96&K=512"));
    std::set<std::string> candidates;
    for (const auto& it : answer["measurements"]) candidates.insert(it["candidate"].dump());
    EXPECT_EQ(candidates.size(), answer["measurements"].size()) << m;
  }
}

TEST_F(DaemonTest, a_job_to_measure_times_the_known_candidates_in_three_to_five_runs_of_their_own) {
  const auto candidates = [] {
    const auto answer = JsonOf(Open().Get("/shapes/a8w8?" + Target() + "&M=16&N=160&K=512"));
    std::map<std::string, std::set<int>> runs;  // by candidate
    for (const auto& it : answer["measurements"]) {
      if (it["standing"] == "measured") runs[it["candidate"].dump()].insert(it["run"].get<int>());
    }
    return runs;
  };
  const int tuned = NewJob({{16, 160}});
  Program daemon(Daemon(), Path("out"), Path("err"));
  AwaitState(tuned, "done");
  const auto before = candidates();
  const int measured = NewJob({{16, 160}}, {{"purpose", "verify"}});
  AwaitState(measured, "done");
  Stop(daemon);
  std::size_t again = 0;
  for (const auto& [candidate, runs] : candidates()) {
    ASSERT_TRUE(before.contains(candidate))
        << candidate << " is new, but a job to verify searches no candidates";
    const std::size_t more = runs.size() - before.at(candidate).size();
    EXPECT_TRUE(more == 0 || (more >= 3 && more <= 5)) << candidate << ": " << more << " runs";
    again += more > 0 ? 1U : 0U;
  }
  EXPECT_GE(again, 2U) << "at least the fastest candidate and the default";
  EXPECT_THAT(Read("out"), testing::HasSubstr("1 of 1 shapes measured again"));
}

TEST_F(DaemonTest, a_job_of_a_shape_that_no_kernel_runs_is_parked_with_the_reason) {
  const int impossible =
      NewJob({}, {{"family", "a4w4_blockscale"}, {"shapes", {{{"M", 16}, {"N", 64}, {"K", 48}}}}});
  Program daemon(Daemon(), Path("out"), Path("err"));
  AwaitState(impossible, "parked");
  Stop(daemon);
  EXPECT_FALSE(Job(impossible)["reasons"].empty());
}

}  // namespace
}  // namespace tunehub::test
