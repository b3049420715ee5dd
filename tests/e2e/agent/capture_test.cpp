// A log of misses becomes demand at the hub, with the real agent and the real server.
#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/comes.h"
#include "tests/support/miss_line.h"

namespace tunehub::test {
namespace {

std::string Miss(int m, int n = 1280) {
  return MissLine(m, n, 8192);
}

using CaptureTest = HubTest;

TEST_F(CaptureTest, a_log_that_is_followed_is_reported_while_it_grows_and_is_rotated) {
  const std::string log = Write("serve.log", Miss(1, 2001));
  Program follower({AgentBinary(),
                    {"capture", log, "--follow", "--interval", "1", "--gfx", "MI308X"},
                    {{"TUNEHUB_KEY", submit_key_}, {"TUNEHUB_HUB", server_->url()}}},
                   Path("out"), Path("err"));
  const auto asked_for = [&](int n) {
    const std::string cell = "," + std::to_string(n) + ",";
    return Comes([&] {
      const auto wanted = Open().Get("/untuned/a8w8_blockscale?gfx=gfx942&cu_num=80");
      return wanted.body.find(cell) != cell.npos;
    });
  };
  EXPECT_TRUE(asked_for(2001));
  std::ofstream(log, std::ios::app) << Miss(1, 2002);
  EXPECT_TRUE(asked_for(2002));
  std::filesystem::rename(log, log + ".1");
  Write("serve.log", Miss(1, 2003));
  EXPECT_TRUE(asked_for(2003));
  follower.Signal(SIGTERM);
  EXPECT_EQ(follower.Wait(std::chrono::seconds(20)), 0) << ReadText(Path("err"));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// The program's address space is smaller than the log. (Sanitizers need terabytes.)
TEST_F(CaptureTest, a_log_longer_than_its_memory_is_read_whole) {
  const std::string line = Miss(37).substr(0, Miss(37).size() - 1);
  const Finished ran =
      RunToEnd({"/bin/bash",
                {"-c", "ulimit -v 400000; yes '" + line + "' | head -c 500000000 | " +
                           AgentBinary() + " capture - --json"}});
  ASSERT_LE(ran.status, 1) << ran.err;  // status 1: the last line may be incomplete
  const auto report = nlohmann::json::parse(ran.out);
  EXPECT_EQ(report["bytes"], 500'000'000);
  EXPECT_EQ(report["misses"].get<std::size_t>(), 500'000'000 / Miss(37).size());
}
#endif

}  // namespace
}  // namespace tunehub::test
