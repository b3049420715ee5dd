// The real agent tunes small shapes on this machine's CPU for a real server.
#include <algorithm>

#include "tests/e2e/agent/daemon_fixture.h"

namespace tunehub::test {
namespace {

class TuningTest : public CpuDaemonTest {
 protected:
  static void SetUpTestSuite() {
    CpuDaemonTest::SetUpTestSuite();
    target_ = "gfx=" + device_["gfx"].get<std::string>() +
              "&cu_num=" + std::to_string(device_["cu_num"].get<int>());
  }

  Command Agent(std::vector<std::string> arguments, const std::string& key) const {
    const std::vector<std::string> folders = {"--spool", Path("spool"), "--state", Path("state")};
    arguments.insert(arguments.end(), folders.begin(), folders.end());
    return {AgentBinary(), arguments, {{"TUNEHUB_HUB", server_->url()}, {"TUNEHUB_KEY", key}}};
  }
  static std::string Shape(int m, int n) {
    return "&M=" + std::to_string(m) + "&N=" + std::to_string(n) + "&K=512";
  }
  static nlohmann::json Measurements(int m, int n) {
    const auto answer = Open().Get("/shapes/a8w8?" + target_ + Shape(m, n));
    return answer.status == 200 ? JsonOf(answer)["measurements"] : nlohmann::json::array();
  }
  bool SpoolIsEmpty() const {
    for (const auto& entry : std::filesystem::directory_iterator(dir_.path() / "spool")) {
      if (entry.path().extension() == ".batch") return false;
    }
    return !std::filesystem::exists(dir_.path() / "spool/refused");
  }

  static inline std::string target_;
};

TEST_F(TuningTest, tuned_shapes_are_served_with_run_samples_and_error) {
  const std::string untuned = Write("a8w8_untuned_gemm.csv",
                                    "M,N,K,q_dtype_w\n1,128,512,torch.int8\n"
                                    "24,128,512,torch.int8\n");
  auto done = RunToEnd(Agent({"tune", "-i", untuned, "-o", Path("a8w8_tuned_gemm.csv"),
                              "--profile-file", Path("all.csv"), "--iters", "5", "--json"},
                             submit_key_));
  ASSERT_EQ(done.status, 0) << done.err;
  const auto report = nlohmann::json::parse(done.out);
  EXPECT_EQ(report["tuned"], 2);
  EXPECT_TRUE(SpoolIsEmpty());

  const RawAnswer served = Good(Open().Get("/tuned/a8w8?" + target_ + "&N=128"));
  EXPECT_EQ(std::count(served.body.begin(), served.body.end(), '\n'), 3) << served.body;
  const auto measurements = Measurements(24, 128);
  ASSERT_GT(measurements.size(), 1U);
  // Beside other load a clock may be unsteady, and such a time does not win.
  const bool steady = std::ranges::all_of(measurements, [](const auto& it) {
    return it["compared_by"].is_null() || it["compared_by"]["steady"] == true;
  });
  int won = 0, defaults = 0;
  for (const auto& it : measurements) {
    EXPECT_EQ(it["provider"], "tunehub");
    EXPECT_FALSE(it["evidence"]["samples"].empty());
    defaults += it["is_default"] == true ? 1 : 0;
    EXPECT_EQ(it["searched"], true);
    if (it["won"].is_null()) continue;
    ++won;
    // The hub serves the fastest candidate. The tuner may choose a candidate with fewer slices of K
    // that is up to 1 % slower.
    const double picked = report["shapes"][1]["us"].get<double>(), us = it["us"].get<double>();
    if (steady) {
      EXPECT_LE(us, picked + 0.001) << it;
      EXPECT_GE(us, picked / 1.01 - 0.001) << it;
    }
    EXPECT_LE(it["error"].get<double>(), 0.05);
  }
  EXPECT_EQ(won, 1);
  EXPECT_EQ(defaults, 1) << "a speed-up needs the default's time";
  const auto run = JsonOf(Open().Get("/runs/" + std::to_string(measurements[0]["run"].get<int>())));
  EXPECT_EQ(run["provenance"]["tuner"], "tunehub builtin");
  EXPECT_THAT(run["provenance"]["arguments"].get<std::string>(), HasSubstr("--iters 5"));

  const auto worth = JsonOf(Open().Get("/speedups?family=a8w8"));
  EXPECT_EQ(worth["keys"], 2);
  EXPECT_EQ(worth["tuned_over_default"]["keys"], 2)
      << "the agent must measure each shape's default, too";
  EXPECT_GE(worth["tuned_over_default"]["worst"].get<double>(), 1.0);

  // The tuner skips shapes for which the hub has tuned rows.
  done = RunToEnd(Agent({"tune", "-i", untuned, "--json"}, submit_key_));
  EXPECT_EQ(nlohmann::json::parse(done.out)["skipped"], 2) << done.err;
}

TEST_F(TuningTest, shapes_of_other_targets_are_tuned_here_and_their_rows_stay) {
  Good(Submitter().Post("/results/batched_bf16",
                        "gfx,cu_num,B,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
                        "gfx942,304,2,16,128,256,3,0,9.5,bf16_batched_x,1.0,2.0,0.0\n",
                        {{"Content-Type", "text/csv"}}));
  const std::string others = Open().Get("/tuned/batched_bf16?gfx=gfx942").body;
  const auto done = RunToEnd(
      Agent({"pretune", "--family", "batched_bf16", "--iters", "5", "--json"}, submit_key_));
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(nlohmann::json::parse(done.out)["tuned"], 1);
  EXPECT_THAT(Open().Get("/tuned/batched_bf16?" + target_).body, HasSubstr(",2,16,128,256,"));
  EXPECT_EQ(Open().Get("/tuned/batched_bf16?gfx=gfx942").body, others);
}

// bench --before, tune, bench --after and compare, as in the README.
class WorkflowTest : public TuningTest, public testing::WithParamInterface<bool> {
 protected:
  Finished Step(std::vector<std::string> arguments) const {
    const std::vector<std::string> more = {"--family", "a8w8", "--iters", "5"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Command command = Agent(arguments, submit_key_);
    if (!GetParam()) command.environment.clear();
    return RunToEnd(command);
  }
};

TEST_P(WorkflowTest, before_tune_after_and_compare_end_with_their_files_and_a_comparison) {
  const int n = GetParam() ? 384 : 448;
  const std::string tail = "," + std::to_string(n) + ",512\n";
  const std::string untuned = Write("untuned.csv", "M,N,K\n1" + tail + "16" + tail + "48" + tail);
  auto done = Step({"bench", "--before", "-i", untuned, "-o", Path("before.csv")});
  ASSERT_EQ(done.status, 0) << done.err;
  done = Step({"tune", "-i", untuned, "-o", Path("tuned.csv"), "--json"});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(nlohmann::json::parse(done.out)["tuned"], 3) << done.out;
  done = Step({"bench", "--after", "-i", Path("tuned.csv"), "-o", Path("after.csv")});
  ASSERT_EQ(done.status, 0) << done.err;
  done =
      RunToEnd({AgentBinary(),
                {"compare", Path("before.csv"), Path("after.csv"), "--family", "a8w8", "--json"}});
  ASSERT_EQ(done.status, 0) << done.err;
  const auto compared = nlohmann::json::parse(done.out);
  EXPECT_EQ(compared["shapes"].size(), 3U) << done.out;
  for (const auto& shape : compared["shapes"]) {
    EXPECT_TRUE(shape.contains("base_us") && shape.contains("head_us")) << shape;
  }
}

INSTANTIATE_TEST_SUITE_P(Hub, WorkflowTest, testing::Values(true, false),
                         [](const auto& it) { return it.param ? "WithAHub" : "WithoutOne"; });

TEST_F(TuningTest,
       what_the_hub_knows_is_in_the_file_and_a_file_that_cannot_be_written_is_told_first) {
  const std::string untuned = Write("untuned.csv", "M,N,K\n3,576,512\n6,576,512\n");
  const std::vector<std::string> tune = {"tune", "-i", untuned, "--family", "a8w8", "--iters", "5"};
  ASSERT_EQ(RunToEnd(Agent(tune, submit_key_)).status, 0);
  const auto into = [&](const std::string& file) {
    auto arguments = tune;
    arguments.insert(arguments.end(), {"-o", file, "--json"});
    return RunToEnd(Agent(arguments, submit_key_));
  };
  const auto done = into(Path("tuned.csv"));
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(nlohmann::json::parse(done.out)["skipped"], 2);
  const std::string served = Open().Get("/tuned/a8w8?" + target_ + "&N=576").body;
  EXPECT_EQ(ReadText(dir_.path() / "tuned.csv"), served);

  const std::string impossible = Path("no folder") + "/tuned.csv";
  auto arguments = tune;
  arguments.insert(arguments.end(), {"-o", impossible, "--all"});
  const auto before = Open().Get("/runs").body;
  const auto refused = RunToEnd(Agent(arguments, submit_key_));
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr(impossible));
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(Open().Get("/runs").body, before) << "bench must measure nothing";
}

TEST_F(TuningTest, without_a_hub_the_results_wait_in_the_spool) {
  Command tune = Agent({"tune", "-i", Write("untuned.csv", "M,N,K\n2,320,512\n"), "--family",
                        "a8w8", "--iters", "5"},
                       "");
  tune.environment.clear();
  const auto done = RunToEnd(tune);
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_FALSE(SpoolIsEmpty());
  const auto push = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"push", "--spool", Path("spool")});
    return RunAgent(std::move(more));
  };
  const auto refused = push({});
  EXPECT_THAT(refused.out, HasSubstr("batches wait for no hub"));
  EXPECT_TRUE(Measurements(2, 320).empty())
      << "the hub must not get batches that were made without a hub";
  const auto pushed = push({"--from", "none"});
  EXPECT_EQ(pushed.status, 0) << pushed.out << pushed.err;
  EXPECT_FALSE(Measurements(2, 320).empty());
}

TEST_F(TuningTest, what_cannot_work_is_one_sentence_and_status_two) {
  const std::string untuned = Write("untuned.csv", "M,N,K\n2,320,512\n");
  const std::vector<std::vector<std::string>> commands = {
      {"tune", "-i", Path("not there.csv"), "--family", "a8w8"},
      {"tune", "-i", untuned, "--family", "no_family"},
      {"tune", "-i", untuned, "--family", "a8w8", "--all", "--worker", Path("no worker")},
      {"bench", "-i", untuned, "--family", "a8w8"},
      {"run", "--window", "noon-ish"},
      {"run", "--device", "cpu", "--always", "--poll", "0.1"},  // the key may not claim jobs
      {"discover", "--kind", "amd"}};
  for (auto command : commands) {
    const bool folders = command[0] != "discover";
    const auto done =
        RunToEnd(folders ? Agent(command, submit_key_) : Command{AgentBinary(), command});
    EXPECT_EQ(done.status, 2) << command[0] << ": " << done.out << done.err;
    // Known names may follow on further lines.
    const std::string first = done.err.substr(0, done.err.find('\n'));
    EXPECT_THAT(first, testing::AllOf(testing::StartsWith("tunehub-agent " + command[0] + ": "),
                                      testing::EndsWith(")")));
  }
}

}  // namespace
}  // namespace tunehub::test
