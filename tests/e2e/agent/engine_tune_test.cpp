// `tune --tuner vllm`, `sglang` and `tunableop`, from the command line to the hub. tests/support
// has stand-ins for the engines' scripts and for PyTorch.
#include <thread>

#include "tests/e2e/agent/engine_scripts.h"
#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

class EngineTuneTest : public HubTest {
 protected:
  EngineTuneTest() {
    for (const char* script :
         {"benchmarks/kernels/benchmark_moe.py", "benchmarks/kernels/benchmark_w8a8_block_fp8.py",
          "benchmark/kernels/fused_moe_triton/tuning_fused_moe_triton.py",
          "benchmark/kernels/quantization/tuning_block_wise_kernel.py"}) {
      Write(std::string("checkout/") + script,
            EngineScript(std::string_view(script).ends_with("benchmark_moe.py")));
    }
    Write("packages/triton/__init__.py", "__version__ = '3.4.0'\n");
    Write("config.json", R"({"architectures": ["Qwen3MoeForCausalLM"],)"
                         R"("num_experts": 128, "moe_intermediate_size": 768})");
    Write("tunableop_untuned0.csv",
          "GemmTunableOp_BFloat16_TN,tn_1_8_64_ld_64_64_1\n"
          "GemmTunableOp_BFloat16_TN,tn_2_8_64_ld_64_64_2\n"
          "GemmTunableOp_BFloat16_TN,tn_1_8_64_ld_64_64_1\n");
  }
  Finished Tune(std::vector<std::string> arguments, const std::string& mode = "ok",
                const std::vector<std::string>& behind = {}) const {
    arguments.insert(arguments.begin(), "tune");
    for (const char* folder : {"spool", "state", "logs"}) {
      arguments.insert(arguments.end(), {"--" + std::string(folder), Path(folder)});
    }
    if (!behind.empty()) arguments.emplace_back("--");
    arguments.insert(arguments.end(), behind.begin(), behind.end());
    return RunAgent(std::move(arguments),
                    {{"PYTHONPATH", Path("packages") + ":" + kStandIns + "torch_standin"},
                     {"STANDIN_MODE", mode}});
  }
  Finished TuneMoe(const std::string& engine, std::vector<std::string> more = {},
                   const std::string& mode = "ok",
                   const std::vector<std::string>& behind = {}) const {
    std::vector<std::string> arguments = {
        "--tuner", engine, "--engine", Path("checkout"), "--model", Path("config.json"),
        "--tp",    "2",    "--dtype",  "fp8_w8a8",       "-o",      Path("found"),
        "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Tune(arguments, mode, behind);
  }
  std::string Served(const std::string& family) const {
    return Open().Get("/tuned/" + family).body;
  }
  std::string TextOf(const std::string& name) const { return ReadText(Path(name)); }
};

TEST_F(EngineTuneTest, vllms_moe_script_tunes_a_model_and_its_times_are_served) {
  const auto done = TuneMoe("vllm");
  ASSERT_EQ(done.status, 0) << done.out << done.err;
  const auto report = nlohmann::json::parse(done.out);
  EXPECT_EQ(report["outcome"], "complete");
  EXPECT_EQ(report["measured"], 6);  // two configs at three batch sizes
  EXPECT_EQ(report["defaults"], 3);
  EXPECT_EQ(report["declared"], 0);
  const std::string name =
      "E=128,N=384,device_name=AMD_Instinct_MI300X,dtype=fp8_w8a8,block_shape=[128,128].json";
  EXPECT_EQ(report["found"][0], name);
  EXPECT_THAT(TextOf("found/" + name), HasSubstr("\"triton_version\": \"3.4.0\""));
  const std::string csv = Served("triton_fused_moe");
  EXPECT_THAT(csv, HasSubstr("vllm,AMD_Instinct_MI300X,,128,384,fp8_w8a8,128,128,0,0,,256,"));
  EXPECT_THAT(csv, HasSubstr(R"(""BLOCK_SIZE_M"":32)"));
  EXPECT_THAT(csv, testing::Not(HasSubstr(R"(""BLOCK_SIZE_M"":64)")));  // the config before tuning
  EXPECT_THAT(csv, HasSubstr(",138.00"));                               // 10 + 256 / 2
  const auto runs = JsonOf(Open().Get("/runs"))["runs"];
  ASSERT_FALSE(runs.empty());
  EXPECT_EQ(runs[0]["provenance"]["tuner"], "vllm benchmark_moe.py");
  // The agent must leave no file in the checkout.
  EXPECT_FALSE(std::filesystem::exists(Path("checkout/benchmarks/kernels/__pycache__")));
}

TEST_F(EngineTuneTest, sglangs_files_lie_in_the_folder_of_the_running_triton) {
  const auto done = TuneMoe("sglang", {"--grid", "64,1", "--ep", "1"});
  ASSERT_EQ(done.status, 0) << done.out << done.err;
  const auto report = nlohmann::json::parse(done.out);
  EXPECT_EQ(report["starts"], 6);  // three steps, two batch sizes
  const std::string name =
      "triton_3_4_0/E=128,N=384,device_name=AMD_Instinct_MI300X,dtype=fp8_w8a8,"
      "block_shape=[128, 128].json";
  EXPECT_EQ(report["found"][0], name);
  const auto file = nlohmann::ordered_json::parse(TextOf("found/" + name));
  EXPECT_EQ(file.begin().key(), "1");
  EXPECT_EQ(file.size(), 2U);
  EXPECT_THAT(Served("triton_fused_moe"),
              HasSubstr("sglang,AMD_Instinct_MI300X,3.4.0,128,384,fp8_w8a8,128,128,0,0,,64,"));
}

TEST_F(EngineTuneTest, a_block_gemm_script_prints_no_times_and_its_rows_are_declared) {
  for (const char* engine : {"vllm", "sglang"}) {
    const auto done =
        Tune({"--tuner", engine, "--engine", Path("checkout"), "--family", "triton_block_gemm",
              "--tp", "8", "--grid", "1,64", "--json", "-o", Path("found")});
    ASSERT_EQ(done.status, 0) << done.out << done.err;
    const auto report = nlohmann::json::parse(done.out);
    EXPECT_EQ(report["declared"], 2) << engine;
    EXPECT_EQ(report["measured"], 0) << engine;
  }
  const std::string csv = Served("triton_block_gemm");
  EXPECT_THAT(csv, HasSubstr("vllm,AMD_Instinct_MI300X,512,7168,fp8_w8a8"));
  EXPECT_THAT(csv, HasSubstr("sglang,AMD_Instinct_MI300X,512,7168,fp8_w8a8"));
}

TEST_F(EngineTuneTest, a_bench_that_fails_takes_nothing_from_the_tuning) {
  const auto done = TuneMoe("vllm", {}, "bench_fail");
  EXPECT_EQ(done.status, 0) << done.out << done.err;
  EXPECT_EQ(nlohmann::json::parse(done.out)["declared"], 3);
  EXPECT_THAT(done.err, HasSubstr("(before) ended with exit code 1"));
}

TEST_F(EngineTuneTest, a_script_that_leaves_nothing_is_status_two) {
  for (const char* mode : {"nothing", "garbage", "crash"}) {
    const auto done = TuneMoe("vllm", {}, mode);
    EXPECT_EQ(done.status, 2) << mode << done.out;
    if (mode == std::string("garbage")) {
      EXPECT_THAT(done.out, HasSubstr("no_json"));
    }
  }
  const auto hung = TuneMoe("vllm", {"--timeout", "2"}, "child_hang");
  EXPECT_EQ(hung.status, 2) << hung.out;
  EXPECT_THAT(hung.out, HasSubstr("timed_out"));
}

TEST_F(EngineTuneTest, flags_behind_two_dashes_and_a_named_gpu_reach_the_script) {
  const auto done = TuneMoe("vllm", {"--device", "gpu:3", "--mp", "2"}, "ok", {"--seed", "7"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(TextsBelow(Path("logs")), HasSubstr("'--seed', '7'] visible 3,4"));
  EXPECT_THAT(TuneMoe("vllm", {}, "ok", {"--no_such_flag"}).err,
              HasSubstr("unrecognized arguments: --no_such_flag"));
  EXPECT_THAT(TuneMoe("vllm", {}, "ok", {"--save-d=x"}).err,
              HasSubstr("leave out this flag, which tunehub itself gives to the script"));
}

TEST_F(EngineTuneTest, tunableop_sends_every_candidate) {
  const auto done = Tune({"--tuner", "tunableop", "-i", Path("tunableop_untuned0.csv"), "-o",
                          Path("found"), "--json"});
  ASSERT_EQ(done.status, 0) << done.out << done.err;
  const auto report = nlohmann::json::parse(done.out);
  EXPECT_EQ(report["tuned"], 2);
  EXPECT_EQ(report["measured"], 6);
  EXPECT_EQ(report["defaults"], 2);
  const std::string csv = Served("tunableop");
  EXPECT_THAT(csv, HasSubstr("rocm,AMD_Instinct_MI300X,GCN_ARCH_NAME=gfx942:sramecc+:xnack-;"
                             "PT_VERSION=2.11.0,GemmTunableOp_BFloat16_TN,tn_1_8_64_ld_64_64_1,"
                             "Gemm_Rocblas_12,12.5,0.0125"));
  const std::string file = TextOf("found/" + report["found"][0].get<std::string>());
  EXPECT_THAT(file, HasSubstr("Validator,PT_VERSION,2.11.0\n"));
  EXPECT_THAT(file, HasSubstr("tn_2_8_64_ld_64_64_2,Gemm_Rocblas_12,0.0125\n"));
}

TEST_F(EngineTuneTest, two_at_a_time_do_not_meet) {
  const std::vector<std::string> arguments = {"--tuner", "tunableop", "-i",
                                              Path("tunableop_untuned0.csv"), "--json"};
  Finished first, second;
  std::thread other([&] { first = Tune(arguments); });
  second = Tune(arguments);
  other.join();
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(second.status, 0) << second.err;
}

TEST_F(EngineTuneTest, what_cannot_be_heeded_is_refused_with_a_sentence) {
  const std::string checkout = Path("checkout"), untuned = Path("tunableop_untuned0.csv");
  Write("bad.csv", "GemmTunableOp_float_NN,nn_1_2_3\nM,N\n");
  Write("pattern.csv", "GemmTunableOp_float_NN,nn_*_2_3\n");
  Write("model.json", "{}");
  const std::pair<std::vector<std::string>, std::string> refused[] = {
      {{"--tuner", "vllm"}, "pass --engine DIR"},
      {{"--tuner", "vllm", "--engine", checkout}, "--model: benchmark_moe.py needs --model"},
      {{"--tuner", "vllm", "--engine", checkout, "--model", "m", "--ep", "4", "--tp", "8"},
       "--tp 4"},
      {{"--tuner", "vllm", "--engine", checkout, "--model", Path("model.json")}, "architectures"},
      {{"--tuner", "vllm", "--engine", Path("nowhere"), "--model", "m"}, "no_script"},
      {{"--tuner", "vllm", "--engine", checkout, "--family", "a8w8"}, "triton_fused_moe and"},
      {{"--tuner", "vllm", "--engine", checkout, "--model", "m", "-i", untuned}, "--input with"},
      {{"--tuner", "sglang", "--engine", checkout, "--model", "m", "--iters", "5"}, "--iters with"},
      {{"--tuner", "sglang", "--engine", checkout, "--model", "m", "--grid", "0"}, "--grid 0"},
      {{"--tuner", "tunableop"}, "pass -i FILE"},
      {{"--tuner", "tunableop", "-i", untuned, "--model", "m"}, "--model with"},
      {{"--tuner", "tunableop", "-i", untuned, "--device", "cpu"}, "--device cpu"},
      {{"--tuner", "tunableop", "-i", Path("bad.csv")}, "bad.csv:2: 'M,N'"},
      {{"--tuner", "tunableop", "-i", Path("pattern.csv")}, "is a pattern"},
      {{"-i", untuned, "--engine", checkout}, "--engine with --tuner builtin"},
      {{"--device", "cpu"}, "-i, --input"}};
  for (const auto& [arguments, why] : refused) {
    const auto done = Tune(arguments);
    EXPECT_EQ(done.status, 2) << why << done.out;
    EXPECT_THAT(done.err, HasSubstr(why));
  }
}

}  // namespace
}  // namespace tunehub::test
