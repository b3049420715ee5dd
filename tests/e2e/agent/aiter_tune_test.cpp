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
  Finished Agent(std::vector<std::string> arguments, const std::string& mode) const {
    for (const auto& [name, value] : {std::pair("--tuner", std::string("aiter")),
                                      {"--aiter", Path("aiter_root")},
                                      {"--spool", Path("spool")},
                                      {"--state", Path("state")},
                                      {"--logs", Path("logs")}}) {
      arguments.insert(arguments.end(), {name, value});
    }
    return RunAgent(std::move(arguments), {{"STANDIN_MODE", mode}});
  }
  static std::size_t Lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
};

TEST_F(AiterTuneTest, what_the_scripts_measured_is_served_and_written_to_the_tuned_table) {
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
      RunToEnd({AgentBinary(), {"compare", Path("before.csv"), Path("after.csv"), "--json"}});
  EXPECT_EQ(nlohmann::json::parse(compared.out)["shapes"].size(), 2U) << compared.err;
}

TEST_F(AiterTuneTest, a_partial_success_is_status_one_and_a_script_that_leaves_nothing_is_two) {
  const std::string untuned = Path("a8w8_untuned_gemm.csv");
  EXPECT_EQ(Agent({"tune", "-i", untuned}, "partial").status, 1);
  std::filesystem::remove_all(Path("state"));
  EXPECT_EQ(Agent({"tune", "-i", untuned}, "nothing").status, 2);
}

TEST_F(AiterTuneTest, flags_behind_two_dashes_go_to_the_scripts_of_a_tuning_and_of_a_bench) {
  const std::string untuned = Path("a8w8_untuned_gemm.csv");
  const auto with = [&](std::vector<std::string> arguments, const std::vector<std::string>& flags) {
    for (const char* path : {"aiter_root", "spool", "state", "logs"}) {
      const std::string option =
          path == std::string("aiter_root") ? "--aiter" : "--" + std::string(path);
      arguments.insert(arguments.end(), {option, Path(path)});
    }
    arguments.insert(arguments.end(), {"--tuner", "aiter", "--"});
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return RunToEnd({AgentBinary(), arguments, {{"STANDIN_MODE", "ok"}}});
  };
  const auto log = [&] {
    std::string text;
    for (const auto& entry : std::filesystem::directory_iterator(Path("logs"))) {
      text += ReadText(entry.path());
    }
    std::filesystem::remove_all(Path("logs"));
    return text;
  };
  const auto tuned = with({"tune", "-i", untuned}, {"--shape_grouped", "--sort", "True", "-v"});
  EXPECT_EQ(tuned.status, 0) << tuned.err;
  EXPECT_THAT(log(), testing::HasSubstr("'--shape_grouped', '--sort', 'True', '-v'"));
  const auto bench = with({"bench", "--before", "-i", untuned}, {"--verbose"});
  EXPECT_EQ(bench.status, 0) << bench.err;
  EXPECT_THAT(log(), testing::HasSubstr("'--verbose'"));
  const auto unknown = with({"tune", "-i", untuned}, {"--no_such_flag"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, testing::HasSubstr("unrecognized arguments: --no_such_flag"));
  const auto ours = with({"tune", "-i", untuned}, {"--tune_f=x.csv"});
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
