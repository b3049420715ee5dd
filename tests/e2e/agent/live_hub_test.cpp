// explain, capture and contribute on a hub: the commands that they print do what they promise.
#include "tests/e2e/agent/live_hub.h"

namespace tunehub::test {
namespace {

using nlohmann::json;
using testing::Not;

TEST_F(LiveHubTest, the_misses_of_three_engines_are_looked_up_and_the_steps_do_what_they_say) {
  const std::string log = Log(VllmMiss(kMi300) + VllmMiss(kMi325) + SglangMiss(kMi300) +
                              AiterMiss(16) + AiterMiss(500));
  const Finished ran = Run({"explain", log, "--gfx", "gfx942", "--hub", server_->url()});
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("vllm: 2 files looked for and not found; rows for 1\n"));
  EXPECT_THAT(ran.out, HasSubstr("rows of a GPU with the same architecture and CU count: vllm, "
                                 "AMD_Instinct_MI300X (2 rows, 2 measured)"));
  EXPECT_THAT(ran.out, HasSubstr("sglang: 1 file looked for and not found; rows for 0\n"));
  EXPECT_THAT(ran.out,
              HasSubstr("rows of another Triton version: sglang, AMD_Instinct_MI300X, Triton "
                        "3.4.0 (1 rows, 1 measured)"));
  EXPECT_THAT(ran.out, HasSubstr("a8w8_blockscale: 2 shapes, missed 2 times; 1 with a tuned row"));
  const json report =
      json::parse(Run({"explain", log, "--gfx", "gfx942", "--hub", server_->url(), "--json"}).out);
  const Finished stepped = RunSteps(report);
  ASSERT_EQ(stepped.status, 0) << stepped.err << report["next"].dump(1);
  EXPECT_TRUE(std::filesystem::exists(Path("vllm_configs/" + FileName(kMi300))));
  EXPECT_THAT(ReadText(Path("a8w8_blockscale.csv")), HasSubstr("gfx942,304,16,2048,3072,"));
  EXPECT_THAT(ReadText(Path(FileName(kMi325))), HasSubstr("BLOCK_SIZE_M"));
  EXPECT_THAT(Open().Get("/untuned/a8w8_blockscale?gfx=gfx942&cu_num=304").body,
              HasSubstr("512,2048,3072"));
  EXPECT_THAT(Open().Get("/demand?family=triton_fused_moe").body, HasSubstr(kMi325));
}

TEST_F(LiveHubTest, a_log_of_files_alone_asks_for_them_once_and_promises_no_agent) {
  const std::string log = Log(VllmMiss("0x75b0") + VllmMiss(""));
  const Finished ran = Run({"explain", log, "--hub", server_->url()});
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Tell the hub which files are missing"));
  EXPECT_THAT(ran.out, Not(HasSubstr("agents")));
  EXPECT_THAT(ran.out, HasSubstr("tunehub-agent tune --tuner vllm --family triton_fused_moe"));
  EXPECT_THAT(ran.out, Not(HasSubstr(" -i ")));
  const json report = json::parse(Run({"explain", log, "--hub", server_->url(), "--json"}).out);
  const Finished stepped = RunSteps(report);
  ASSERT_EQ(stepped.status, 0) << stepped.err << report["next"].dump(1);
  EXPECT_THAT(stepped.out, HasSubstr("36 shapes posted"));
}

TEST_F(LiveHubTest, a_device_of_a_log_that_a_shell_would_run_is_a_word_in_every_step) {
  const std::string device = "x(touch)pwned";  // a device's name may have these characters
  Good(Submitter().Post("/results/triton_fused_moe", kMoeHeader + MoeRow("vllm", device, "", 1)));
  const std::string log = Log(VllmMiss(device));
  const json report = json::parse(Run({"explain", log, "--hub", server_->url(), "--json"}).out);
  EXPECT_THAT(report["next"].dump(), HasSubstr("--device 'x(touch)pwned'"));
  const Finished stepped = RunSteps(report);
  EXPECT_EQ(stepped.status, 0) << stepped.err << report["next"].dump(1);
  EXPECT_THAT(ReadText(Path(FileName(device))), HasSubstr("BLOCK_SIZE_M"));
}

TEST_F(LiveHubTest, a_file_that_no_variable_names_is_installed) {
  Good(Submitter().Post(
      "/results/triton_block_gemm",
      std::string("engine,device,N,K,dtype,input_dtype,out_dtype,block_n,block_k,M,config,us\n"
                  "vllm,") +
          kMi300 + R"(,512,7168,fp8_w8a8,,,128,128,1,"{""BLOCK_SIZE_M"":16}",)" + "\n"));
  const std::string log = Log(
      "WARNING Using default W8A8 Block FP8 kernel config. Performance might be sub-optimal! "
      "Config file not found at /p/vllm/model_executor/layers/quantization/utils/configs/"
      "N=512,K=7168,device_name=AMD_Instinct_MI300X,dtype=fp8_w8a8,block_shape=[128,128].json\n");
  const Finished ran = Run({"explain", log, "--hub", server_->url(), "--json"});
  EXPECT_THAT(ran.out, Not(HasSubstr("tunehub-agent pull"))) << "pull would fetch the MoE files";
  const json report = json::parse(ran.out);
  const std::string install = report["next"][0]["commands"][1];
  std::filesystem::create_directories(
      dir_.path() / "SITE_PACKAGES/vllm/model_executor/layers/quantization/utils/configs");
  const Finished installed = RunSteps(report);
  EXPECT_EQ(installed.status, 0) << installed.err;
  EXPECT_THAT(installed.out, HasSubstr("1 added")) << install;
}

TEST_F(LiveHubTest, a_gpu_that_the_log_does_not_name_is_asked_for_before_the_hub_is) {
  if (std::filesystem::exists("/sys/class/kfd/kfd/topology"))
    GTEST_SKIP() << "this host has an AMD GPU";
  const std::string log = Log(AiterMiss(16) + AiterMiss(500));
  const Finished ran = Run({"explain", log, "--hub", server_->url(), "--json"});
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_THAT(ran.out, Not(HasSubstr("tunehub-agent capture")));
  const json report = json::parse(ran.out);
  ASSERT_EQ(report["next"].size(), 1U) << ran.out;
  EXPECT_EQ(report["next"][0]["commands"],
            json({"tunehub-agent explain " + log + " --gfx gfx942 --cu-num 304 --hub " +
                  server_->url()}));
  EXPECT_THAT(Run({"explain", log, "--hub", server_->url()}).out,
              HasSubstr("Name the log's GPU with --gfx"));
  const Finished named = RunSteps(report);
  EXPECT_THAT(named.out, HasSubstr("tunehub-agent capture " + log));
  EXPECT_THAT(named.out, HasSubstr("--gfx gfx942 --cu-num 304"));
}

TEST_F(LiveHubTest, measured_rows_go_from_the_hub_into_a_tree_of_aiter) {
  const Finished aiter = Run({"contribute", AiterTree(), "--model", "glm6", "--family",
                              "a8w8_blockscale", "--hub", server_->url(), "-o", Path("given")});
  EXPECT_EQ(aiter.status, 0) << aiter.err << aiter.out;
  EXPECT_THAT(
      ReadText(Path("given/aiter/configs/model_configs/glm6_a8w8_blockscale_tuned_gemm.csv")),
      HasSubstr("gfx942,304,16,2048,3072,"));
}

}  // namespace
}  // namespace tunehub::test
