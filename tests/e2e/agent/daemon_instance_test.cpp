// A daemon's identity, its refusals at the start, and its messages when the hub does not serve it.
#include <csignal>
#include <fstream>
#include <thread>

#include "build_info.h"
#include "tests/e2e/agent/daemon_fixture.h"

namespace tunehub::test {
namespace {

using std::chrono::seconds;

class DaemonInstanceTest : public CpuDaemonTest {
 protected:
  Finished Status() const {
    return RunToEnd(
        {AgentBinary(), {"status", "--json"}, {{"TUNEHUB_SPOOL", Path("agent/spool")}}});
  }
  static int NewJob(int n, int cu_num) {
    return CpuDaemonTest::NewJob({{16, n}, {32, n}}, {{"cu_num", cu_num}});
  }
};

TEST_F(DaemonInstanceTest, two_daemons_of_one_host_have_two_names_and_two_leases) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs two processors";
  const int first = NewJob(64, 1), second = NewJob(128, 1);
  Program one(Daemon({"--cpus", "0"}), Path("out1"), Path("err1"));
  Program other(Daemon({"--cpus", "1"}), Path("out2"), Path("err2"));
  ASSERT_TRUE(Comes([&] {
    return Job(first)["state"] == "done" && Job(second)["state"] == "done";
  })) << Read("out1")
      << Read("out2");
  const auto status = Status();
  EXPECT_EQ(status.status, 0) << status.out;
  Stop(one, "err1");
  Stop(other, "err2");
  EXPECT_NE(Job(first)["agent"], Job(second)["agent"]);
  const auto agents = JsonOf(Open().Get("/agents"))["agents"];
  ASSERT_EQ(agents.size(), 2U) << agents;
  EXPECT_THAT(agents[0]["agent"].get<std::string>(), testing::EndsWith("/cpu:0"));
  EXPECT_THAT(agents[1]["agent"].get<std::string>(), testing::EndsWith("/cpu:1"));
  EXPECT_NE(agents[0]["instance"], agents[1]["instance"]);
  EXPECT_FALSE(agents[0]["host"].is_null());
  EXPECT_EQ(std::ranges::count(status.out, '\n'), 2) << "one line per instance: " << status.out;
}

TEST_F(DaemonInstanceTest, a_second_process_of_one_device_is_one_sentence_and_status_two) {
  Program daemon(Daemon(), Path("out"), Path("err"));
  ASSERT_TRUE(Comes([&] { return Status().status == 0; }));
  const auto second = RunToEnd(Daemon());
  EXPECT_EQ(second.status, 2) << second.out;
  EXPECT_THAT(second.err,
              HasSubstr("another agent (process " + std::to_string(daemon.pid()) + ")"));
  EXPECT_EQ(std::ranges::count(second.err, '\n'), 1) << second.err;
  Stop(daemon);
}

// After status 2 the service would not restart the daemon, so the node would stop tuning unnoticed.
TEST_F(DaemonInstanceTest,
       a_full_disk_ends_a_daemon_with_a_status_that_its_service_starts_it_again_after) {
  std::filesystem::create_directories(Path("state/lock"));  // the daemon needs a file in its place
  const auto ended = RunToEnd(Daemon({"--state", Path("state")}));
  EXPECT_EQ(ended.status, 75) << ended.out;
  EXPECT_THAT(ended.err, HasSubstr("state/lock: "));
  for (const char* service : {"tunehub-agent.service", "tunehub-agent@.service"}) {
    const std::string unit =
        ReadText(std::filesystem::path(TUNEHUB_SOURCE_DIR) / "deploy" / service);
    EXPECT_THAT(unit, HasSubstr("\nRestart=on-failure\n"));
    EXPECT_THAT(unit, HasSubstr("\nRestartPreventExitStatus=2\n"));
  }
}

TEST_F(DaemonInstanceTest, a_device_that_is_lost_later_may_come_back_and_so_does_the_daemon) {
  std::filesystem::create_directories(Path("bin"));
  std::filesystem::create_directories(Path("share/tunehub"));
  std::filesystem::copy_file(AgentBinary(), Path("bin/tunehub-agent"));
  std::filesystem::create_directory_symlink(std::filesystem::path(TUNEHUB_SOURCE_DIR) / "configs",
                                            Path("share/tunehub/configs"));
  Command command = Daemon({"--cpus", "0"});
  command.program = Path("bin/tunehub-agent");
  Program daemon(command, Path("out"), Path("err"));
  ASSERT_TRUE(Comes([&] { return Status().status == 0; })) << Read("err");
  std::filesystem::remove(Path("bin/tunehub-agent"));  // the worker's program
  const int id = NewJob(320, 1);
  EXPECT_EQ(daemon.Wait(seconds(30)), 75) << Read("out");
  EXPECT_THAT(Read("err"), HasSubstr("(no_device)"));
  EXPECT_EQ(Job(id)["state"], "queued") << "handed back";
}

TEST_F(DaemonInstanceTest, a_family_that_the_device_lacks_is_refused_at_the_start) {
  const int id = NewJob(192, 1);
  const auto run = RunToEnd(Daemon({"--family", "a8w8,chunk_gdn_h"}));
  EXPECT_EQ(run.status, 2) << run.out;
  EXPECT_THAT(run.err,
              HasSubstr("--family chunk_gdn_h: this device cannot tune this family; it can tune "));
  EXPECT_THAT(run.err, HasSubstr("a8w8_blockscale"));
  EXPECT_EQ(Job(id)["state"], "queued");
}

TEST_F(DaemonInstanceTest, processors_that_are_not_there_are_refused_at_the_start) {
  for (const char* cpus : {"0-", "x", "3-1", "1000"}) {
    const auto run = RunToEnd(Daemon({"--cpus", cpus}));
    EXPECT_EQ(run.status, 2) << cpus;
    EXPECT_THAT(run.err, HasSubstr(std::string("--cpus ") + cpus)) << run.err;
  }
  const auto run = RunToEnd(Daemon({"--device", "gpu:x"}));
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("--device gpu:x"));
}

TEST_F(DaemonInstanceTest, an_unknown_key_is_said_at_once_and_by_status) {
  const std::string unknown = "thub_" + std::string(claim_key_.size() - 5, 'A');
  Program daemon(Daemon({}, unknown), Path("out"), Path("err"));
  EXPECT_TRUE(
      Comes([&] { return Read("out").find("the hub refuses the API key") != std::string::npos; }));
  EXPECT_TRUE(Comes([&] { return Status().out.find("wrong_key") != std::string::npos; }))
      << Status().out;
  daemon.Signal(SIGTERM);
  daemon.Wait(seconds(30));
}

TEST_F(DaemonInstanceTest, a_hub_that_is_away_is_said_at_once_and_status_counts_what_waits) {
  std::filesystem::create_directories(Path("agent/spool"));
  for (const char* name : {"1.batch", "2.batch"}) std::ofstream(Path("agent/spool/") + name) << "x";
  Command command = Daemon();
  command.environment["TUNEHUB_HUB"] = "http://127.0.0.1:1";
  Program daemon(command, Path("out"), Path("err"));
  EXPECT_TRUE(Comes([&] { return Read("out").find("127.0.0.1:1") != std::string::npos; }));
  std::ofstream(Path("agent/spool/3.batch")) << "x";
  // The daemon has read the first two files and set them aside, because they are not batches.
  EXPECT_TRUE(Comes([&] { return Status().out.find(R"("set_aside":3)") != std::string::npos; }))
      << Status().out;
  std::filesystem::create_directories(Path("elsewhere/agents/a"));
  std::filesystem::create_directories(Path("elsewhere/spool"));
  std::ofstream(Path("elsewhere/agents/a/status.json"))
      << nlohmann::json{{"pid", 0}, {"waiting", 0}, {"spool", Path("elsewhere/spool")}};
  std::ofstream(Path("elsewhere/spool/1.batch")) << "x";
  const auto status =
      RunToEnd({AgentBinary(), {"status", "--json"}, {{"TUNEHUB_SPOOL", Path("elsewhere/spool")}}});
  EXPECT_THAT(status.out, HasSubstr(R"("waiting":1)")) << status.err;
  Stop(daemon);
}

}  // namespace
}  // namespace tunehub::test
