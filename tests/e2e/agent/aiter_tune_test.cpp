// `tune --tuner aiter` and its benches, from the command line to the hub.
// tests/support/aiter_tune_standin.py stands in for AITER's scripts.
#include "tests/e2e/hub_fixture.h"
#include "tests/support/aiter_root.h"

namespace tunehub::test {
namespace {

class AiterTuneTest : public HubTest {
 protected:
  AiterTuneTest() {
    MakeAiterRoot(dir_.path() / "aiter_root");
    Write("a8w8_untuned_gemm.csv",
          "M,N,K,q_dtype_w\n16,1280,8192,torch.int8\n32,1280,8192,torch.int8\n");
  }
  // `flags`: the AITER script's own flags.
  Finished Agent(std::vector<std::string> arguments, const std::string& mode,
                 const std::vector<std::string>& flags = {}) const {
    for (const auto& [name, value] : {std::pair("--tuner", std::string("aiter")),
                                      {"--aiter", Path("aiter_root")},
                                      {"--spool", Path("spool")},
                                      {"--state", Path("state")},
                                      {"--logs", Path("logs")}}) {
      arguments.insert(arguments.end(), {name, value});
    }
    if (!flags.empty()) arguments.emplace_back("--");
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return RunAgent(std::move(arguments), {{"STANDIN_MODE", mode}});
  }
};

TEST_F(AiterTuneTest, flags_behind_two_dashes_and_the_gpus_from_a_named_one_on_reach_the_scripts) {
  const std::string untuned = Path("a8w8_untuned_gemm.csv");
  const auto log = [&] {
    const std::string text = TextsBelow(Path("logs"));
    std::filesystem::remove_all(Path("logs"));
    return text;
  };
  const auto tuned = Agent(
      {"tune", "-i", untuned, "--profile-file", Path("all.csv"), "--device", "gpu:3", "--mp", "2"},
      "ok", {"--shape_grouped", "--sort", "True", "-v"});
  EXPECT_TRUE(std::filesystem::exists(Path("all.csv")));
  EXPECT_EQ(tuned.status, 0) << tuned.err;
  EXPECT_THAT(log(), testing::AllOf(HasSubstr("'--shape_grouped', '--sort', 'True', '-v'"),
                                    HasSubstr("devices 0,1 of 3,4")));
  const auto bench = Agent({"bench", "--before", "-i", untuned}, "ok", {"--verbose"});
  EXPECT_EQ(bench.status, 0) << bench.err;
  EXPECT_THAT(log(), HasSubstr("'--verbose'"));
  const auto unknown = Agent({"tune", "-i", untuned}, "ok", {"--no_such_flag"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("unrecognized arguments: --no_such_flag"));
  const auto ours = Agent({"tune", "-i", untuned}, "ok", {"--tune_f=x.csv"});
  EXPECT_EQ(ours.status, 2);
  EXPECT_THAT(ours.err,
              HasSubstr("leave out this flag, which tunehub itself gives to AITER's scripts"));
}

TEST_F(AiterTuneTest, an_option_that_the_scripts_cannot_heed_is_refused_with_a_sentence) {
  const std::string untuned = Path("a8w8_untuned_gemm.csv");
  const std::vector<std::vector<std::string>> refused = {
      {"tune", "-i", untuned, "--exhaustive"},
      {"tune", "-i", untuned, "--min-improvement-pct", "2"},
      {"tune", "-i", untuned, "--libtype", "ck"},
      {"tune", "-i", untuned, "--worker", "x"},
      {"tune", "-i", untuned, "--device", "cpu"},
      {"bench", "--before", "-i", untuned, "--splitK"},
      {"bench", "--before", "-i", untuned, "--all"},
      {"run", "--exhaustive"}};
  for (auto arguments : refused) {
    const std::string what = arguments.back();
    arguments.insert(arguments.end(), {"--tuner", "aiter", "--aiter", Path("aiter_root"), "--state",
                                       Path("state"), "--hub", server_->url()});
    const auto done = RunToEnd({AgentBinary(), arguments, {{"TUNEHUB_SPOOL", Path("spool")}}});
    EXPECT_EQ(done.status, 2) << what << done.out;
    EXPECT_EQ(std::ranges::count(done.err, '\n'), 1) << what << done.err;
    EXPECT_THAT(done.err, HasSubstr("bad_arguments")) << what;
  }
  const auto builtin = RunToEnd({AgentBinary(), {"tune", "-i", untuned, "--", "-v"}});
  EXPECT_EQ(builtin.status, 2);
  EXPECT_THAT(builtin.err, HasSubstr("add --tuner aiter"));
}

TEST_F(AiterTuneTest, help_shows_the_defaults_of_both_tuners) {
  for (const char* command : {"tune", "bench", "run"}) {
    const auto help = RunToEnd({AgentBinary(), {command, "--help"}});
    EXPECT_EQ(help.status, 0);
    EXPECT_THAT(help.out, testing::AllOf(HasSubstr("builtin: 30, aiter: 1800"),
                                         HasSubstr("builtin: 20, aiter: 101"),
                                         HasSubstr("-- --shape_grouped")))
        << command;
  }
  const auto shapes = RunToEnd({AgentBinary(), {"shapes", "--help"}});
  EXPECT_THAT(shapes.out, HasSubstr("--nsets"));
}

}  // namespace
}  // namespace tunehub::test
