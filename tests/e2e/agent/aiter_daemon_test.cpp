// The daemon with AITER's scripts as tuner, on a host with an AMD GPU. The GPU is a fake /sys, and
// tests/support/aiter_tune_standin.py stands in for the scripts.
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <fstream>

#include "tests/e2e/agent/daemon_fixture.h"
#include "tests/support/aiter_root.h"
#include "tests/support/socket_hub.h"

namespace tunehub::test {
namespace {

using std::chrono::milliseconds;

class AiterDaemonTest : public AmdDaemonTest {
 protected:
  AiterDaemonTest() { MakeAiterRoot(Path("aiter_root")); }
  Command Daemon(const std::string& mode) const {
    return AmdDaemonTest::Daemon({"--tuner", "aiter", "--aiter", Path("aiter_root")},
                                 {{"STANDIN_MODE", mode}, {"STANDIN_PREFIX", "a8w8_rowwise_"}});
  }
  static int NewJob(int n) {
    return AmdDaemonTest::NewJob(
        "a8w8", {{{"M", 16}, {"N", n}, {"K", 8192}}, {{"M", 32}, {"N", n}, {"K", 8192}}});
  }
  bool ScriptHasTuned() const {
    std::error_code error;
    for (const auto& it : std::filesystem::recursive_directory_iterator(Path("state"), error)) {
      if (it.path().filename() == "a8w8_tuned_gemm.csv") return true;
    }
    return false;
  }
  // True if a process has this test's state folder and the script in its command line.
  bool ScriptRuns() const {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
      std::ifstream in(entry.path() / "cmdline");
      const std::string line{std::istreambuf_iterator<char>(in), {}};
      const bool script = line.find("gemm_a8w8_tune.py") != std::string::npos;
      if (script && line.find(Path("state")) != std::string::npos) return true;
    }
    return false;
  }
};

TEST_F(AiterDaemonTest,
       a_job_for_the_gpu_is_tuned_by_the_scripts_as_the_command_line_says_and_served) {
  const int id = NewJob(1280);
  Command command = Daemon("ok");
  for (const char* argument : {"-k", "--err-ratio", "0.02", "--timeout", "60", "--iters", "11",
                               "--libtype", "ck", "--", "--shape_grouped"}) {
    command.arguments.emplace_back(argument);
  }
  Program daemon(command, Path("out"), Path("err"));
  EXPECT_TRUE(Comes([&] { return StateOf(id) == "done"; })) << Read("out") << Read("err");
  Stop(daemon);
  const auto served = Open().Get("/tuned/a8w8?gfx=gfx942&cu_num=304&N=1280&measured=only");
  EXPECT_EQ(std::count(served.body.begin(), served.body.end(), '\n'), 3) << served.body;
  const auto runs = JsonOf(Open().Get("/runs"))["runs"];
  EXPECT_EQ(runs[0]["provider"], "aiter");
  EXPECT_THAT(runs[0]["provenance"]["tuner"].get<std::string>(), HasSubstr("gemm_a8w8_tune.py"));
  // The daemon keeps the tuned tables and removes its private tree.
  for (const auto& entry : std::filesystem::recursive_directory_iterator(Path("state"))) {
    EXPECT_NE(entry.path().filename(), "tree") << entry.path();
  }
  const std::string log = TextsBelow(Path("logs"));
  EXPECT_THAT(log, HasSubstr("devices 0 of 0"));
  EXPECT_THAT(log, HasSubstr("'--mp', '1', '--errRatio', '0.020000', '--iters', '11', "
                             "'--timeout', '60'"));
  EXPECT_THAT(log, HasSubstr("'-k', '--shape_grouped'"));
  EXPECT_THAT(log, testing::Not(HasSubstr("--libtype"))) << "the script of a8w8 has no such option";
}

TEST_F(AiterDaemonTest, no_cell_of_a_lying_hubs_job_reaches_a_script) {
  const std::string job =
      R"json({"id": 7, "lease": {"epoch": 1, "seconds": 60}, "family": "a8w8", "created": "../../x",
          "shapes": [{"M": "1", "N": "1280", "K": "8192",
                      "q_dtype_w": "__import__('os').system('id')"}]})json";
  // The daemon may send any of its requests first, so the hub answers every request with the job.
  SocketHub lying(std::deque<ScriptedAnswer>(
      4, SocketHub::Closing("200 OK\r\nContent-Type: application/json", job)));
  Command command = Daemon("ok");
  command.environment["TUNEHUB_HUB"] = "http://" + lying.origin();
  Program daemon(command, Path("out"), Path("err"));
  EXPECT_TRUE(Comes([&] { return Read("status").find("Connection refused") != std::string::npos; }))
      << Read("status") << Read("out") << Read("err");
  Stop(daemon);
  const auto requests = lying.Requests();
  const auto failed = std::ranges::find_if(requests, [](const std::string& request) {
    return request.find("/jobs/7/fail") != std::string::npos;
  });
  ASSERT_NE(failed, requests.end());
  EXPECT_THAT(*failed, HasSubstr("q_dtype_w: '__import__"));
  EXPECT_THAT(*failed, HasSubstr("\"park\":true"));
  EXPECT_TRUE(std::filesystem::is_empty(Path("logs")));  // the folder for the scripts' logs
}

TEST_F(AiterDaemonTest,
       others_work_ends_the_script_within_a_second_and_the_job_goes_on_when_they_have_gone) {
  const int id = NewJob(2560);
  Program daemon(Daemon("hang"), Path("out"), Path("err"));
  ASSERT_TRUE(Comes([&] { return ScriptHasTuned(); })) << Read("out") << Read("err");
  EXPECT_TRUE(ScriptRuns());
  const std::string other =
      Path("host/sys/class/kfd/kfd/proc/1");  // process 1 is init, not the agent
  std::filesystem::create_directories(other);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(Comes([&] { return !ScriptRuns(); })) << Read("out") << Read("err");
  RecordProperty("gave_up_after_ms",
                 static_cast<int>((std::chrono::steady_clock::now() - begin) / milliseconds(1)));
  EXPECT_EQ(StateOf(id), "running") << "the agent must keep the job";
  std::filesystem::remove(other);
  // The restarted script skips the shapes that it finished before the restart.
  EXPECT_TRUE(Comes([&] { return StateOf(id) == "done"; })) << Read("out") << Read("err");
  Stop(daemon);
  EXPECT_THAT(Read("err") + Read("out"), HasSubstr("others need the GPU"));
}

TEST_F(AiterDaemonTest, a_host_without_a_gpu_is_one_sentence_and_status_two) {
  std::filesystem::remove_all(Path("host"));
  const auto done = RunToEnd(Daemon("ok"));
  EXPECT_EQ(done.status, 2) << done.out;
  EXPECT_THAT(done.err, HasSubstr("no AMD GPU"));
  EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
}

}  // namespace
}  // namespace tunehub::test
