// The daemon with the engines' own tuners. It leases jobs of TunableOp and of fused MoE and tunes
// them in a private folder, and the hub serves the rows. The GPU is a fake /sys; tests/support has
// fakes of PyTorch and vLLM.

#include "tests/e2e/agent/daemon_fixture.h"
#include "tests/e2e/agent/engine_scripts.h"

namespace tunehub::test {
namespace {

class EngineDaemonTest : public AmdDaemonTest {
 protected:
  EngineDaemonTest() {
    Write("checkout/benchmarks/kernels/benchmark_moe.py", EngineScript(true));
    nlohmann::json model =
        nlohmann::json::parse(ReadText(TUNEHUB_SOURCE_DIR "/configs/models/qwen3-30b-a3b.json"))
            .at("config");
    model["quantization_config"] = {{"quant_method", "fp8"},
                                    {"activation_scheme", "dynamic"},
                                    {"weight_block_size", {128, 128}}};
    Write("config.json", model.dump());
  }
  Command Daemon(const std::vector<std::string>& more) const {
    return AmdDaemonTest::Daemon(
        more, {{"PYTHONPATH", kStandIns + "torch_standin"}, {"STANDIN_MODE", "ok"}});
  }
  static std::string ReasonOf(int id) {
    const auto reasons = Job(id)["reasons"];
    return reasons.empty() ? "" : reasons.back()["reason"].get<std::string>();
  }
  static nlohmann::json Gemm(const std::string& params, const std::string& validators = "") {
    return {{"engine", "rocm"},
            {"device", "AMD_Instinct_MI300X"},
            {"validators", validators},
            {"op", "GemmTunableOp_BFloat16_TN"},
            {"params", params}};
  }
  static nlohmann::json Experts(int e, int n, int m) {
    return {{"engine", "vllm"},
            {"device", "AMD_Instinct_MI300X"},
            {"E", e},
            {"N", n},
            {"dtype", "fp8_w8a8"},
            {"block_n", 128},
            {"block_k", 128},
            {"M", m}};
  }
};

TEST_F(EngineDaemonTest,
       tunableop_tunes_what_is_leased_and_hands_back_what_is_for_other_validators) {
  const int own = NewJob("tunableop", {Gemm("tn_4_8_64_ld_64_64_4",
                                            "GCN_ARCH_NAME=gfx942:sramecc+:xnack-;"
                                            "PT_VERSION=2.11.0")});
  const int other = NewJob("tunableop", {Gemm("tn_4_8_64_ld_64_64_4", "PT_VERSION=1.0.0")});
  const int id = NewJob("tunableop", {Gemm("tn_1_8_64_ld_64_64_1"), Gemm("tn_2_8_64_ld_64_64_2")});
  Program daemon(Daemon({"--tuner", "tunableop"}), Path("out"), Path("err"));
  EXPECT_TRUE(Comes([&] { return StateOf(id) == "done"; })) << Read("out") << Read("err");
  EXPECT_EQ(StateOf(own), "done") << "the daemon must take it, although it was first in the queue "
                                     "before PyTorch had named its validators";
  EXPECT_THAT(ReasonOf(other), HasSubstr("this agent cannot tune 1 of 1 shapes: the shape is for "
                                         "the validators PT_VERSION=1.0.0"));
  EXPECT_EQ(StateOf(other), "queued");
  const int later = NewJob("tunableop", {Gemm("tn_4_8_64_ld_64_64_4")});
  EXPECT_TRUE(Comes([&] { return StateOf(later) == "done"; })) << "the daemon must claim more jobs";
  EXPECT_EQ(Job(other)["reasons"].size(), 1U);
  EXPECT_EQ(Job(other)["tries"], 0);
  const std::string out = Read("out");
  EXPECT_EQ(out.find("handed back"), out.rfind("handed back")) << out;
  EXPECT_THAT(out, testing::Not(HasSubstr("not tuned")));
  EXPECT_THAT(out, HasSubstr("tuned by PyTorch TunableOp, offline"));
  Stop(daemon);
  const std::string csv = Open().Get("/tuned/tunableop").body;
  EXPECT_THAT(csv, HasSubstr("PT_VERSION=2.11.0,GemmTunableOp_BFloat16_TN,tn_2_8_64_ld_64_64_2,"
                             "Gemm_Rocblas_12,12.5,0.0125"));
  const auto runs = JsonOf(Open().Get("/runs"))["runs"];
  ASSERT_FALSE(runs.empty());
  EXPECT_EQ(runs[0]["provenance"]["tuner"], "PyTorch TunableOp, offline");
}

TEST_F(EngineDaemonTest, vllms_script_tunes_the_keys_of_the_agents_models_and_leaves_the_rest) {
  const int id = NewJob("triton_fused_moe",
                        {Experts(128, 384, 16), Experts(128, 384, 256), Experts(64, 384, 16)});
  Program daemon(Daemon({"--tuner", "vllm", "--engine", Path("checkout"), "--model",
                         Path("config.json"), "--tp", "1,2"}),
                 Path("out"), Path("err"));
  EXPECT_TRUE(Comes([&] { return !ReasonOf(id).empty(); })) << Read("out") << Read("err");
  Stop(daemon);
  EXPECT_EQ(StateOf(id), "queued");
  EXPECT_THAT(ReasonOf(id), HasSubstr("this agent cannot tune 1 of 3 shapes: no --model of this "
                                      "agent has the shape E=64"));
  const std::string csv = Open().Get("/tuned/triton_fused_moe").body;
  EXPECT_THAT(csv, HasSubstr("vllm,AMD_Instinct_MI300X,,128,384,fp8_w8a8,128,128,0,0,,16,"));
  EXPECT_THAT(csv, HasSubstr("vllm,AMD_Instinct_MI300X,,128,384,fp8_w8a8,128,128,0,0,,256,"));
  // The next agent gets the remaining shapes.
  const nlohmann::json ask = {
      {"agent", "b"}, {"gfx", "gfx942"}, {"cu_num", 304}, {"families", {"triton_fused_moe"}}};
  const RawAnswer claim =
      Good(server_->Client(server_->NewKey("claim")).PostJson("/jobs/claim", ask));
  ASSERT_EQ(JsonOf(claim)["shapes"].size(), 1U) << claim.body;
  EXPECT_EQ(JsonOf(claim)["shapes"][0]["E"], 64);
}

TEST_F(EngineDaemonTest, what_an_agent_cannot_do_is_said_before_it_asks_for_jobs) {
  const auto refused = [&](const std::vector<std::string>& more) {
    const auto done = RunToEnd(Daemon(more));
    EXPECT_EQ(done.status, 2) << done.out;
    return done.err;
  };
  EXPECT_THAT(refused({"--tuner", "vllm", "--engine", Path("checkout")}),
              HasSubstr("pass the config.json of each model"));
  EXPECT_THAT(refused({"--tuner", "vllm", "--model", Path("config.json")}),
              HasSubstr("pass --engine DIR"));
  EXPECT_THAT(
      refused({"--tuner", "vllm", "--engine", Path("none"), "--model", Path("config.json")}),
      HasSubstr("is not a checkout of vllm"));
  EXPECT_THAT(refused({"--tuner", "vllm", "--engine", Path("checkout"), "--model",
                       Path("config.json"), "--tp", "7"}),
              HasSubstr("has experts that --tp 7"));
  const std::string endless(5000, 'x');
  EXPECT_THAT(refused({"--tuner", "vllm", "--engine", endless, "--model", Path("config.json")}),
              HasSubstr("is not a checkout of vllm"));
  EXPECT_THAT(refused({"--tuner", "vllm", "--engine", Path("checkout"), "--model", endless}),
              testing::Not(HasSubstr("filesystem error")));
  EXPECT_THAT(refused({"--tuner", "tunableop", "--model", Path("config.json")}),
              HasSubstr("this option needs --tuner vllm or sglang"));
  EXPECT_THAT(refused({"--tuner", "tunableop", "--family", "fmoe"}),
              HasSubstr("can tune tunableop"));
}

}  // namespace
}  // namespace tunehub::test
