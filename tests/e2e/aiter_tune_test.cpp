// `tune --tuner aiter` and its benches from the command line to the hub, with the stand-in of
// tests/support/aiter_tune_standin.py for AITER's scripts: no AMD GPU and no AITER took part.
#include <fstream>

#include "tests/e2e/aiter_root.h"
#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

class AiterTuneTest : public HubTest {
 protected:
  AiterTuneTest() {
    MakeAiterRoot(dir_.path() / "aiter_root");
    std::ofstream(Path("a8w8_untuned_gemm.csv"))
        << "M,N,K,q_dtype_w\n16,1280,8192,torch.int8\n32,1280,8192,torch.int8\n";
  }
  std::string Path(const std::string& name) const { return (dir_.path() / name).string(); }
  Finished Agent(std::vector<std::string> arguments, const std::string& mode) const {
    for (const auto& [name, value] : {std::pair("--tuner", std::string("aiter")),
                                      {"--aiter", Path("aiter_root")},
                                      {"--spool", Path("spool")},
                                      {"--state", Path("state")},
                                      {"--logs", Path("logs")}}) {
      arguments.insert(arguments.end(), {name, value});
    }
    return RunToEnd(
        {AgentBinary(),
         arguments,
         {{"TUNEHUB_HUB", server_->url()}, {"TUNEHUB_KEY", submit_key_}, {"STANDIN_MODE", mode}}});
  }
  static std::size_t Lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  TempDir dir_;
};

TEST_F(AiterTuneTest, WhatTheScriptsMeasuredIsServedAndWrittenToTheTunedTable) {
  const auto before = Agent(
      {"bench", "--before", "-i", Path("a8w8_untuned_gemm.csv"), "-o", Path("before.csv")}, "ok");
  EXPECT_EQ(before.status, 0) << before.err;
  const auto done = Agent({"tune", "-i", Path("a8w8_untuned_gemm.csv"), "-o",
                           Path("a8w8_tuned_gemm.csv"), "--profile-file", Path("all.csv")},
                          "ok");
  ASSERT_EQ(done.status, 0) << done.out << done.err;
  const auto served = Open().Get("/tuned/a8w8?gfx=gfx942");
  EXPECT_EQ(Lines(served.body), 3U) << served.body;
  EXPECT_TRUE(std::filesystem::exists(Path("all.csv")));
  const auto runs = JsonOf(Open().Get("/runs"))["runs"];
  ASSERT_FALSE(runs.empty());
  EXPECT_EQ(runs[0]["provider"], "aiter");
  EXPECT_THAT(runs[0]["provenance"]["tuner"].get<std::string>(),
              testing::HasSubstr("gemm_a8w8_tune.py"));
  const auto after =
      Agent({"bench", "--after", "-i", Path("a8w8_tuned_gemm.csv"), "-o", Path("after.csv")}, "ok");
  EXPECT_EQ(after.status, 0) << after.err;
  const auto compared =
      RunToEnd({AgentBinary(),
                {"compare", Path("before.csv"), Path("after.csv"), "--family", "a8w8", "--json"}});
  EXPECT_EQ(nlohmann::json::parse(compared.out)["shapes"].size(), 2U) << compared.err;
}

TEST_F(AiterTuneTest, APartialSuccessIsStatusOneAndAScriptThatLeavesNothingIsTwo) {
  const std::string untuned = Path("a8w8_untuned_gemm.csv");
  EXPECT_EQ(Agent({"tune", "-i", untuned}, "partial").status, 1);
  std::filesystem::remove_all(Path("state"));
  EXPECT_EQ(Agent({"tune", "-i", untuned}, "nothing").status, 2);
}

TEST_F(AiterTuneTest, NoAiterIsOneSentenceAndStatusTwo) {
  std::filesystem::remove_all(Path("aiter_root"));
  const auto done = Agent({"tune", "-i", Path("a8w8_untuned_gemm.csv")}, "ok");
  EXPECT_EQ(done.status, 2) << done.out;
  EXPECT_EQ(Lines(done.err), 1U) << done.err;
}

}  // namespace
}  // namespace tunehub::test
