// `tune --tuner aiter` and its benches from the command line to the hub, with the stand-in of
// tests/support/aiter_tune_standin.py for AITER's scripts: no AMD GPU and no AITER took part.

#include "tests/e2e/agent/aiter_root.h"
#include "tests/e2e/hub_fixture.h"
#include "tests/support/shipped.h"

namespace tunehub::test {
namespace {

class AiterTuneTest : public HubTest {
 protected:
  AiterTuneTest() {
    MakeAiterRoot(dir_.path() / "aiter_root");
    Write("a8w8_untuned_gemm.csv",
          "M,N,K,q_dtype_w\n16,1280,8192,torch.int8\n32,1280,8192,torch.int8\n");
  }
  // `flags`: the script's own.
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
  static std::size_t Lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
};

TEST_F(AiterTuneTest, a_partial_success_is_status_one_and_a_script_that_leaves_nothing_is_two) {
  const std::string untuned = Path("a8w8_untuned_gemm.csv");
  EXPECT_EQ(Agent({"tune", "-i", untuned}, "partial").status, 1);
  std::filesystem::remove_all(Path("state"));
  EXPECT_EQ(Agent({"tune", "-i", untuned}, "nothing").status, 2);
}

TEST_F(AiterTuneTest, flags_behind_two_dashes_go_to_the_scripts_of_a_tuning_and_of_a_bench) {
  const std::string untuned = Path("a8w8_untuned_gemm.csv");
  const auto log = [&] {
    std::string text;
    for (const auto& entry : std::filesystem::directory_iterator(Path("logs"))) {
      text += ReadText(entry.path());
    }
    std::filesystem::remove_all(Path("logs"));
    return text;
  };
  const auto tuned = Agent({"tune", "-i", untuned, "--profile-file", Path("all.csv")}, "ok",
                           {"--shape_grouped", "--sort", "True", "-v"});
  EXPECT_TRUE(std::filesystem::exists(Path("all.csv")));
  EXPECT_EQ(tuned.status, 0) << tuned.err;
  EXPECT_THAT(log(), testing::HasSubstr("'--shape_grouped', '--sort', 'True', '-v'"));
  const auto bench = Agent({"bench", "--before", "-i", untuned}, "ok", {"--verbose"});
  EXPECT_EQ(bench.status, 0) << bench.err;
  EXPECT_THAT(log(), testing::HasSubstr("'--verbose'"));
  const auto unknown = Agent({"tune", "-i", untuned}, "ok", {"--no_such_flag"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, testing::HasSubstr("unrecognized arguments: --no_such_flag"));
  const auto ours = Agent({"tune", "-i", untuned}, "ok", {"--tune_f=x.csv"});
  EXPECT_EQ(ours.status, 2);
  EXPECT_THAT(ours.err, testing::HasSubstr("tunehub gives AITER's scripts this flag itself"));
}

TEST_F(AiterTuneTest, a_named_gpu_and_those_behind_it_are_all_that_the_script_sees) {
  const auto done =
      Agent({"tune", "-i", Path("a8w8_untuned_gemm.csv"), "--device", "gpu:3", "--mp", "2"}, "ok");
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(ReadText(std::filesystem::directory_iterator(Path("logs"))->path()),
              testing::HasSubstr("devices 0,1 of 3,4"));
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
    const bool run = arguments[0] == "run";
    arguments.insert(arguments.end(), {"--tuner", "aiter", "--aiter", Path("aiter_root"), "--state",
                                       Path("state"), "--hub", server_->url()});
    const auto done = RunToEnd({AgentBinary(), arguments, {{"TUNEHUB_SPOOL", Path("spool")}}});
    EXPECT_EQ(done.status, 2) << what << done.out;
    EXPECT_EQ(Lines(done.err), 1U) << what << run << done.err;
    EXPECT_THAT(done.err, testing::HasSubstr("bad_arguments")) << what;
  }
  const auto builtin = RunToEnd({AgentBinary(), {"tune", "-i", untuned, "--", "-v"}});
  EXPECT_EQ(builtin.status, 2);
  EXPECT_THAT(builtin.err, testing::HasSubstr("--tuner aiter is needed"));
}

TEST_F(AiterTuneTest, help_shows_the_defaults_of_both_tuners) {
  for (const char* command : {"tune", "bench", "run"}) {
    const auto help = RunToEnd({AgentBinary(), {command, "--help"}});
    EXPECT_EQ(help.status, 0);
    EXPECT_THAT(help.out, testing::AllOf(testing::HasSubstr("builtin: 30, aiter: 1800"),
                                         testing::HasSubstr("builtin: 20, aiter: 101"),
                                         testing::HasSubstr("-- --shape_grouped")))
        << command;
  }
  const auto shapes = RunToEnd({AgentBinary(), {"shapes", "--help"}});
  EXPECT_THAT(shapes.out, testing::HasSubstr("--nsets"));
}

}  // namespace
}  // namespace tunehub::test
