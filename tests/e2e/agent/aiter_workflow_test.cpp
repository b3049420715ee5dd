// The workflow of AITER's tuning skill (bench, tune, bench) for each of its variants and for bf16.
// tests/support/aiter_tune_standin.py stands in for AITER's scripts.
#include <fmt/core.h>

#include <fstream>
#include <regex>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/aiter_root.h"

namespace tunehub::test {
namespace {

// The shapes are small, so that the stand-in's times are plausible for its GPU.
struct SkillVariant {
  const char *name, *family, *columns, *rest;  // rest: the cells after M or token
};
const SkillVariant kSkillVariants[] = {
    {"a8w8", "a8w8", "M,N,K,q_dtype_w", "1280,1024,torch.int8"},
    {"a8w8_blockscale", "a8w8_blockscale", "M,N,K", "1280,1024"},
    {"a8w8_bpreshuffle", "a8w8_bpreshuffle", "M,N,K,q_dtype_w", "1280,1024,torch.int8"},
    {"a8w8_blockscale_bpreshuffle", "a8w8_blockscale_bpreshuffle", "M,N,K", "1280,1024"},
    {"a4w4_blockscale", "a4w4_blockscale", "M,N,K", "1280,1024"},
    {"batched_a8w8", "batched_a8w8", "M,B,N,K", "2,1280,1024"},
    {"batched_bf16", "batched_bf16", "M,B,N,K", "2,640,1024"},
    {"moe_2stages", "fmoe",
     "token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,use_g1u1,"
     "doweight_stage1",
     "1024,192,2,1,ActivationType.Silu,torch.bfloat16,torch.float8_e4m3fnuz,"
     "torch.float8_e4m3fnuz,QuantType.per_Token,1,0"},
    {"bf16", "bf16", "M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle",
     "1280,1024,False,torch.bfloat16,torch.bfloat16,False,False"},
};

class AiterWorkflowTest : public HubTest {
 protected:
  AiterWorkflowTest() { MakeAiterRoot(dir_.path() / "aiter"); }
  Finished Agent(std::vector<std::string> arguments,
                 std::map<std::string, std::string> environment = {}) const {
    arguments.insert(arguments.end(),
                     {"--tuner", "aiter", "--spool", Path("spool"), "--state", Path("state")});
    environment.insert(
        {{"TUNEHUB_KEY", AdminKey()},  // because only an admin may send rows of invented kernels
         {"AITER_PATH", Path("aiter")},
         {"STANDIN_OVERHEAD", "2.25"}});
    return RunAgent(std::move(arguments), std::move(environment));
  }
  // The untuned file of a variant, with two shapes.
  std::string Untuned(const SkillVariant& variant) const {
    const std::string rest = std::string(variant.rest) + "\n";
    return Write(ShippedFamily(variant.family).untuned_file,
                 std::string(variant.columns) + "\n16," + rest + "32," + rest);
  }
  static Json Speedups(const std::string& family) {
    return JsonOf(Open().Get("/speedups?family=" + family));
  }
  std::vector<std::string> Logs() const {
    std::vector<std::string> names;
    for (const auto& it : std::filesystem::directory_iterator(Path("aiter/tune_logs")))
      names.push_back(it.path().filename().string());
    std::ranges::sort(names);
    return names;
  }
};

TEST_F(AiterWorkflowTest, each_variant_ends_with_speedups_at_the_hub_and_a_log_of_each_step) {
  for (const SkillVariant& variant : kSkillVariants) {
    const std::string untuned = Untuned(variant), tuned = Path(std::string(variant.name) + ".csv");
    std::filesystem::remove_all(Path("aiter/tune_logs"));
    const auto before = Agent({"bench", "--before", "-i", untuned});
    EXPECT_EQ(before.status, 0) << variant.name << before.err;
    EXPECT_THAT(before.err, HasSubstr("2 times for the hub")) << before.err;
    EXPECT_EQ(Open().Get(std::string("/tuned/") + variant.family + "?gfx=gfx942").status, 404)
        << variant.name << ": the hub must not serve a default that names no kernel";
    const auto done = Agent({"tune", "-i", untuned, "-o", tuned});
    EXPECT_EQ(done.status, 0) << variant.name << done.err;
    EXPECT_THAT(done.out, testing::Not(HasSubstr("no baseline yet")));
    EXPECT_THAT(done.out, HasSubstr("tunehub-agent bench --after -i " + tuned));
    const auto after = Agent({"bench", "--after", "-i", tuned, "--family", variant.family});
    EXPECT_EQ(after.status, 0) << variant.name << after.err;
    EXPECT_THAT(after.err, HasSubstr("2 times for the hub")) << variant.name << after.err;

    const Json over = Speedups(variant.family)["tuned_over_default"];
    EXPECT_EQ(over["keys"], 2) << variant.name << Speedups(variant.family).dump();
    EXPECT_NEAR(over["worst"].get<double>(), 100.0 / 12.5, 1e-6)
        << variant.name << ": both times must be an operator's";
    const auto served = Open().Get(std::string("/tuned/") + variant.family + "?gfx=gfx942");
    EXPECT_EQ(std::ranges::count(served.body, '\n'), 3) << variant.name;
    EXPECT_THAT(served.body, HasSubstr("10.25")) << variant.name << ": the kernel's own time";
    const std::vector<std::string> logs = Logs();
    ASSERT_EQ(logs.size(), 3U) << variant.name;
    const char* const steps[] = {"bench_after", "bench_before", "tuning"};
    for (std::size_t i = 0; i < logs.size(); ++i) {
      EXPECT_TRUE(std::regex_match(logs[i], std::regex(std::string(variant.name) + "_" + steps[i] +
                                                       "_[0-9]{8}_[0-9]{6}\\.log")))
          << logs[i];
    }
  }
  const auto holds = server_->Tool({"verify"});
  EXPECT_EQ(holds.status, 0) << holds.out << holds.err;
}

TEST_F(AiterWorkflowTest, the_default_s_time_stands_beside_the_others_of_the_workflow) {
  const SkillVariant variant = {"a8w8_blockscale", "a8w8_blockscale", "M,N,K", "3840,1024"};
  const std::string untuned = Untuned(variant), tuned = Path("tuned.csv");
  Agent({"bench", "--before", "-i", untuned});
  Agent({"tune", "-i", untuned, "-o", tuned});
  Agent({"bench", "--after", "-i", tuned, "--family", variant.family});
  const auto told = [&](int m, double us) {
    const Json measured = JsonOf(Open().Get(fmt::format(
        "/shapes/a8w8_blockscale?gfx=gfx942&cu_num=304&M={}&N=3840&K=1024", m)))["measurements"];
    return std::ranges::count_if(measured, [&](const Json& it) {
      return it["evidence"].is_object() && it["evidence"].value("us_reference", 0.0) == us;
    });
  };
  EXPECT_EQ(told(16, 100), 4) << "three candidates and the winner's operator";
  EXPECT_EQ(told(32, 101), 4);
}

TEST_F(AiterWorkflowTest, what_a_script_prints_is_on_the_terminal_and_in_its_log) {
  const SkillVariant& variant = kSkillVariants[1];
  const auto done = Agent({"bench", "--before", "-i", Untuned(variant)});
  const std::string log = ReadText(Path("aiter/tune_logs/" + Logs().front()));
  EXPECT_THAT(log, HasSubstr("production operator benchmark (default)"));
  EXPECT_THAT(done.err, HasSubstr("production operator benchmark (default)"));
  EXPECT_EQ(done.out, "M,N,K,us,status\n16,1280,1024,100.000000,OK\n32,1280,1024,101.000000,OK\n");
}

TEST_F(AiterWorkflowTest, a_tuning_without_a_baseline_says_how_to_get_one_and_compare_brings_it) {
  const SkillVariant variant = {"a8w8_blockscale", "a8w8_blockscale", "M,N,K", "2560,1024"};
  const std::string untuned = Untuned(variant);
  const auto done = Agent({"tune", "-i", untuned});
  EXPECT_THAT(done.out, HasSubstr("no baseline yet; next:\n  tunehub-agent bench --before -i " +
                                  untuned + " --tuner aiter --family a8w8_blockscale"));
  const SkillVariant other = {"a8w8", "a8w8", "M,N,K,q_dtype_w", "2560,1024,torch.int8"};
  const int keys = Speedups("a8w8")["tuned_over_default"]["keys"];
  auto arguments = std::vector<std::string>{"tune",    "-i",      Untuned(other), "--tuner",
                                            "aiter",   "--spool", Path("spool"),  "--state",
                                            Path("s"), "--",      "--compare"};
  const auto compared =
      RunAgent(arguments, {{"TUNEHUB_KEY", AdminKey()}, {"AITER_PATH", Path("aiter")}});
  EXPECT_EQ(compared.status, 0) << compared.err;
  EXPECT_THAT(compared.out, testing::Not(HasSubstr("no baseline yet")));
  EXPECT_EQ(Speedups("a8w8")["tuned_over_default"]["keys"], keys + 2);
}

TEST_F(AiterWorkflowTest,
       a_log_that_somebody_else_kept_is_pushed_and_one_without_defaults_refused) {
  const SkillVariant variant = {"a8w8_bpreshuffle", "a8w8_bpreshuffle", "M,N,K,q_dtype_w",
                                "2560,1024,torch.int8"};
  const std::string untuned = Untuned(variant), tuned = Path("t.csv");
  Agent({"tune", "-i", untuned, "-o", tuned});
  const int keys = Speedups("a8w8_bpreshuffle")["tuned_over_default"]["keys"];
  const auto push = [&](const std::string& log) {
    return RunAgent({"push", log, "--spool", Path("spool2")});
  };
  const std::string log = Path("a8w8_bpreshuffle_bench_before_20260321_143022.log");
  std::ofstream(log)
      << "[aiter] x\n=== Running production operator benchmark (default) ===\n"
         "M16 | 200.00 | 180.00 | OK\n"
         "keys: gfx=gfx942, cu_num=304, M=16, N=2560, K=1024, q_dtype_w=torch.int8\n"
         "M32 | N/A | ERROR\n"
         "keys: gfx=gfx942, cu_num=304, M=32, N=2560, K=1024, q_dtype_w=torch.int8\n";
  const auto pushed = push(log);
  EXPECT_EQ(pushed.status, 0) << pushed.err;
  EXPECT_THAT(pushed.out, HasSubstr("1 compared")) << pushed.out;
  EXPECT_EQ(Speedups("a8w8_bpreshuffle")["tuned_over_default"]["keys"], keys + 1);
  const auto run = JsonOf(Open().Get("/runs"))["runs"][0];
  EXPECT_EQ(run["provenance"]["note"], "a8w8_bpreshuffle_bench_before_20260321_143022.log");
  const std::string tuning = Path("a8w8_tuning_20260321_143022.log");
  Write("a8w8_tuning_20260321_143022.log", "nothing\n");
  EXPECT_THAT(push(tuning).err, HasSubstr("no_baseline"));
  EXPECT_THAT(push(Write("x.log", "nothing\n")).err, HasSubstr("unknown_family"));
}

TEST_F(AiterWorkflowTest, what_runs_by_a_table_that_a_variable_names_is_no_default) {
  const SkillVariant& variant = kSkillVariants[0];
  const auto done = Agent({"bench", "--before", "-i", Untuned(variant)},
                          {{"AITER_CONFIG_GEMM_A8W8", "/x/tuned.csv"}});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("no times for a hub: AITER_CONFIG_GEMM_A8W8 names /x/tuned.csv"));
}

TEST_F(AiterWorkflowTest, an_operators_time_never_wins_a_key) {
  const Json key = {{"gfx", "gfx942"}, {"cu_num", 304}, {"M", 64}, {"N", 640}, {"K", 1024}};
  const auto send = [&](const Json& given) {
    Json row = {{"libtype", nullptr}, {"kernelId", nullptr}, {"splitK", nullptr}};
    row.update(key);
    row.update(given);
    return JsonOf(Submitter().PostJson(kResults, {{"rows", Json::array({row})}}));
  };
  const std::string table = "/tuned/a8w8_blockscale?gfx=gfx942&cu_num=304&N=640";
  EXPECT_EQ(send({{"us", 4.0}, {"is_default", true}})["compared_count"], 1);
  EXPECT_EQ(send({{"us", 4.0},
                  {"is_default", true},
                  {"libtype", "ck"},
                  {"kernelName", kKernel},
                  {"timing", "operator"}})["compared_count"],
            1);
  EXPECT_EQ(Open().Get(table).status, 404);
  EXPECT_EQ(send({{"us", 4.0}})["quarantined_count"], 1)
      << "the row does not name the kernel that ran";
  EXPECT_EQ(send({{"us", 0.001}, {"is_default", true}})["quarantined_count"], 1);
  EXPECT_EQ(send({{"us", 9.0}, {"libtype", "ck"}, {"kernelName", kKernel}})["won"], 1);
  EXPECT_THAT(Open().Get(table).body, HasSubstr(",9.0,"));
}

}  // namespace
}  // namespace tunehub::test
