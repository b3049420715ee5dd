// The workflow of AITER's tuning skill with AITER's unmodified scripts, from the checkout in
// AITER_ROOT_DIR. tests/support/aiter_gpu stands in for the GPU and for the compiled modules.
#include <fstream>

#include "build_info.h"
#include "core/base/process.h"
#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

namespace fs = std::filesystem;

constexpr char kGpu[] = TUNEHUB_SOURCE_DIR "/tests/support/aiter_gpu";
// The output of rocminfo on an MI300X. AITER reads the architecture and the number of compute units
// from it.
constexpr char kRocminfo[] =
    "#!/bin/sh\nprintf 'Agent 1\\n  Name: gfx942\\n  Device Type: GPU\\n  Compute Unit: 304\\n'\n";

class AiterScriptsTest : public HubTest {
 protected:
  void SetUp() override {
    aiter_ = core::Environment("AITER_ROOT_DIR");
    if (!fs::exists(aiter_ / "aiter/utility/base_tuner.py")) {
      GTEST_SKIP()
          << "NOT TESTED: AITER's own scripts; AITER_ROOT_DIR names no checkout of AITER, \""
          << aiter_.string() << "\"";
    }
    const auto python =
        RunToEnd({"/usr/bin/env", {"python3", "-c", "import torch, pandas, einops, setuptools"}});
    if (python.status != 0) {
      GTEST_SKIP() << "NOT TESTED: AITER's own scripts; python3 cannot import PyTorch or what they "
                      "need beside it: "
                   << python.err;
    }
    fs::create_directories(dir_.path() / "bin");
    std::ofstream(Path("bin/rocminfo")) << kRocminfo;
    fs::permissions(Path("bin/rocminfo"), fs::perms::owner_all);
  }
  Finished Agent(std::vector<std::string> arguments) const {
    for (const char* word : {"--tuner", "aiter", "--warmup", "1", "--iters", "11", "--spool"})
      arguments.emplace_back(word);
    arguments.insert(arguments.end(), {Path("spool"), "--state", Path("state"), "--aiter"});
    arguments.push_back(aiter_.string());
    return RunToEnd(
        {AgentBinary(),
         arguments,
         {{"TUNEHUB_HUB", server_->url()},
          {"TUNEHUB_KEY", submit_key_},
          {"AITER_PATH", Path("skill")},  // the benches write their logs into its tune_logs
          {"PATH", Path("bin") + ":" + core::Environment("PATH")},
          {"PYTHONPATH", kGpu}}});
  }
  // Runs the skill's steps for one variant. Returns the served table.
  std::string Run(const std::string& variant, const std::string& family,
                  const std::string& untuned_rows) {
    const std::string untuned = Path(ShippedFamily(family).untuned_file), tuned = Path("t.csv");
    std::ofstream(untuned) << untuned_rows;
    const auto before = Agent({"bench", "--before", "-i", untuned});
    EXPECT_EQ(before.status, 0) << before.err;
    EXPECT_THAT(before.err, HasSubstr("2 times for the hub"));
    const auto done = Agent({"tune", "-i", untuned, "-o", tuned});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.out, testing::Not(HasSubstr("no baseline yet"))) << done.err;
    const auto after = Agent({"bench", "--after", "-i", tuned, "--family", family});
    EXPECT_EQ(after.status, 0) << after.err;
    EXPECT_THAT(after.err, HasSubstr("2 times for the hub"));
    const Json speedups = JsonOf(Open().Get("/speedups?family=" + family));
    const Json& over = speedups["tuned_over_default"];
    EXPECT_EQ(over["keys"], 2) << speedups.dump();
    EXPECT_NEAR(over["worst"].get<double>(), 8.0, 1e-6) << speedups.dump();
    EXPECT_NEAR(over["geometric_mean"].get<double>(), 8.0, 1e-6) << speedups.dump();
    std::vector<std::string> steps;
    for (const auto& log : fs::directory_iterator(Path("skill/tune_logs")))
      steps.push_back(log.path().filename().string().substr(0, variant.size() + 6));
    EXPECT_THAT(steps, testing::UnorderedElementsAre(variant + "_bench", variant + "_bench",
                                                     variant + "_tunin"));
    return Open().Get("/tuned/" + family + "?gfx=gfx942").body;
  }

  fs::path aiter_;
};

TEST_F(AiterScriptsTest, a8w8_blockscale_ends_with_speedups_at_the_hub) {
  const std::string served =
      Run("a8w8_blockscale", "a8w8_blockscale", "M,N,K\n16,256,256\n32,256,256\n");
  EXPECT_THAT(served, HasSubstr("gfx942,304,16,256,256,ck,3,0,10.0,a8w8_blockscale_1x128x128_"));
  EXPECT_THAT(served, HasSubstr("gfx942,304,32,256,256,ck,3,0,10.0,a8w8_blockscale_1x128x128_"))
      << "candidate 5 is faster but wrong";
}

TEST_F(AiterScriptsTest, moe_2stages_ends_with_speedups_at_the_hub) {
  const std::string rest =
      ",256,128,4,2,ActivationType.Silu,torch.bfloat16,torch.float8_e4m3fnuz,"
      "torch.float8_e4m3fnuz,QuantType.per_Token,1,0";
  const std::string served =
      Run("moe_2stages", "fmoe",
          "token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,"
          "use_g1u1,doweight_stage1\n8" +
              rest + "\n16" + rest + "\n");
  EXPECT_THAT(served, HasSubstr("gfx942,304,8" + rest + ",16,0,10.0,moe_ck2stages_gemm1_"));
  EXPECT_THAT(served, HasSubstr("gfx942,304,16" + rest + ",16,0,10.0,moe_ck2stages_gemm1_"));
}

// The tree lacks the script that replaced gradlib for bf16.
TEST_F(AiterScriptsTest, gradlib_ends_with_speedups_at_the_hub) {
  const fs::path tree = Path("tree");
  fs::create_directories(tree / "csrc");
  for (const char* name : {"aiter", "gradlib"}) fs::create_symlink(aiter_ / name, tree / name);
  for (const auto& entry : fs::directory_iterator(aiter_ / "csrc")) {
    const auto name = entry.path().filename();
    if (name != "gemm_a16w16") fs::create_symlink(entry.path(), tree / "csrc" / name);
  }
  aiter_ = tree;
  const std::string rest = ",256,256,False,torch.bfloat16,torch.bfloat16,False,True";
  const std::string served =
      Run("bf16", "bf16",
          "M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle\n16" + rest + "\n32" + rest + "\n");
  EXPECT_THAT(served, HasSubstr("gfx942,304,16" + rest + ",hipblaslt,3,0,10.0,Cijk_3,"));
  EXPECT_THAT(served, HasSubstr("gfx942,304,32" + rest + ",hipblaslt,3,0,10.0,Cijk_3,"));
}

}  // namespace
}  // namespace tunehub::test
