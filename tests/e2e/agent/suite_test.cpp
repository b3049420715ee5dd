// `bench --suite` with two interpreters. tests/support/aiter_bench_standin.py stands in for AITER's
// benches and for rocprofv3.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "build_info.h"
#include "tests/e2e/hub_fixture.h"
#include "tests/support/comes.h"

namespace tunehub::test {
namespace {

namespace fs = std::filesystem;

constexpr char kBenches[] = "op_tests/op_benchmarks/triton/bench_";

class SuiteTest : public HubTest {
 protected:
  SuiteTest() {
    fs::create_directories(Path("aiter/aiter/configs"));
    StandIn("aiter/" + std::string(kBenches) + "batched_gemm_bf16.py");
    StandIn("bin/rocprofv3");
    for (const char* version : {"3.4.0", "3.7.0"}) Interpreter(version);
  }

  // The file's text; "" if there is no file yet.
  static std::string Text(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static std::ptrdiff_t Count(const std::string& text, const std::string& line) {
    std::ptrdiff_t count = 0;
    for (std::size_t at = text.find(line); at != text.npos; at = text.find(line, at + 1)) ++count;
    return count;
  }

  // Writes a file with the facts of an environment with this Triton version. Returns its path.
  std::string Facts(const std::string& name, const std::string& triton, Json more = {}) const {
    Json facts = {{"env", name},
                  {"python", Path("python" + triton)},
                  {"triton_version", triton},
                  {"gfx", "gfx942"},
                  {"cu_num", "304"},
                  {"STANDIN_SIDE", name}};
    if (!more.is_null()) facts.update(more);
    return dir_.Write(name + ".json", facts.dump());
  }
  // Writes a suite with one kernel. Returns its path.
  std::string SmallSuite(const std::string& kernel = "batched_gemm_bf16", int shapes = 3) const {
    Json of = {{"name", kernel}, {"script", kBenches + kernel + ".py"}};
    for (int i = 0; i < shapes; ++i) of["shapes"].push_back({2, 16 << i, 64, 64});
    return dir_.Write("small.json", Json{{"kernels", Json::array({of})}}.dump());
  }
  Command Bench(const std::string& suite, std::vector<std::string> more) const {
    Command command{AgentBinary(),
                    {"bench", "--suite", suite, "-o", Path("out"), "--aiter", Path("aiter")},
                    {{"STANDIN_LOG", Path("runs.log")},
                     {"STANDIN_SUITE", suite},
                     {"TUNEHUB_SPOOL", Path("spool")},
                     {"PATH", Path("bin") + ":" + std::getenv("PATH")}}};
    command.arguments.insert(command.arguments.end(), more.begin(), more.end());
    return command;
  }
  // Reads the number 3 in "golden: run 3 of the hub".
  static std::string RunAtHub(const Finished& ran, const std::string& side) {
    const std::string begins = "\n" + side + ": run ";
    const auto at = ran.err.find(begins);
    if (at == std::string::npos) return "none: " + ran.err;
    return ran.err.substr(at + begins.size(),
                          ran.err.find(' ', at + begins.size()) - at - begins.size());
  }
  static Json SlowerAtHub(const Finished& ran) {
    const bool tuned = ran.err.find("\ntuned: run ") != std::string::npos;
    const Json compared =
        JsonOf(Open().Get("/compare?family=triton_bench&base=" + RunAtHub(ran, "golden") +
                          "&head=" + RunAtHub(ran, tuned ? "tuned" : "tot")));
    return compared.value("/counts/slower"_json_pointer, compared);
  }

 private:
  void StandIn(const std::string& name) const {
    dir_.Write(name, Text(TUNEHUB_SOURCE_DIR "/tests/support/aiter_bench_standin.py"));
    fs::permissions(Path(name), fs::perms::owner_all);
  }
  // Makes a Python that reports this Triton version.
  void Interpreter(const std::string& triton) const {
    const std::string packages = "packages" + triton;
    dir_.Write(packages + "/triton-" + triton + ".dist-info/METADATA",
               "Metadata-Version: 2.1\nName: triton\nVersion: " + triton + "\n");
    const std::string program =
        dir_.Write("python" + triton, "#!/bin/sh\nPYTHONPATH=" + Path(packages) +
                                          ":$PYTHONPATH exec python3 \"$@\"\n");
    fs::permissions(program, fs::perms::owner_all);
  }
};

TEST_F(SuiteTest, of_8_shapes_2_are_slower_then_1_though_it_was_killed_once) {
  const std::string golden = Facts("golden", "3.4.0", {{"async_copy", "0"}});
  const auto against = [&](const std::string& facts) {
    return Bench(SmallSuite("batched_gemm_bf16", 8),
                 {"--env", golden, "--env", facts, "--fail-on-regress", "--hub", server_->url(),
                  "--key", submit_key_});
  };
  const Command first = against(Facts("tot", "3.7.0", {{"STANDIN_SLOWER", "2"}}));
  {
    Program killed(first, Path("stdout"), Path("stderr"));
    ASSERT_TRUE(Comes([&] { return Count(Text(Path("out/tot.csv")), "\nbatched_gemm_") > 3; }));
    EXPECT_THAT(RunToEnd(first).err,
                HasSubstr("out: another run of `bench --suite` uses this folder (busy)"));
    killed.Signal(SIGKILL);
    killed.Wait(std::chrono::seconds(60));
  }
  const auto before = RunToEnd(first);
  EXPECT_EQ(before.status, 1) << before.err;
  EXPECT_THAT(before.out, HasSubstr("\n2 slower, 5 below_floor, 1 same, ")) << before.err;
  EXPECT_THAT(before.out,
              HasSubstr("environments: two: these facts differ: STANDIN_SIDE, STANDIN_SLOWER, "
                        "async_copy, python, triton\n"));
  EXPECT_THAT(before.err, HasSubstr("\n0 of 8 shapes failed; "));
  const std::string times = Text(Path("out/golden.csv"));
  EXPECT_EQ(Count(times, "\nbatched_gemm_"), 3 * 8);
  EXPECT_THAT(times, HasSubstr("\n# triton: 3.4.0\n"));
  const std::string runs = Text(Path("runs.log"));
  EXPECT_TRUE(runs.starts_with("golden 0\ntot 0\ntot 0\ngolden 0\n")) << "not interleaved";
  EXPECT_EQ(Count("\n" + runs, "\ngolden 0\n"), 3) << "finished before the kill";

  EXPECT_EQ(SlowerAtHub(before), 2);
  const auto after = RunToEnd(against(Facts("tuned", "3.7.0", {{"STANDIN_SLOWER", "1"}})));
  EXPECT_EQ(after.status, 1) << after.err;
  EXPECT_EQ(SlowerAtHub(after), 1);
  EXPECT_EQ(RunAtHub(after, "golden"), RunAtHub(before, "golden")) << "each time must be sent once";
  EXPECT_EQ(Verdict(Open().Get("/tuned/triton_bench")), "404 no_rows");
  EXPECT_THAT(after.out, HasSubstr("\n1 slower, 5 below_floor, 2 same, "));
  EXPECT_EQ(Count(Text(Path("runs.log")), "golden "), Count(runs, "golden ")) << "is known";

  Facts("golden", "3.4.0", {{"async_copy", "1"}});
  const auto other = RunToEnd(first);
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("golden.csv: async_copy was '0' and is '1' now"));
  EXPECT_EQ(Text(Path("out/golden.csv")), times);
}

TEST_F(SuiteTest, a_shape_that_fails_is_named_and_not_counted_and_the_others_are_measured) {
  const std::string golden = Facts("golden", "3.4.0", {{"STANDIN_FAIL", "0:noisy,2:nothing"}});
  const std::string tot = Facts("tot", "3.7.0", {{"STANDIN_FAIL", "0:other,1:exit"}});
  const auto ran = RunToEnd(Bench(SmallSuite(), {"--env", golden, "--env", tot}));
  // Both environments measured different shapes, so there is nothing to compare.
  EXPECT_EQ(ran.status, 2) << ran.err;
  const char* const kSaidOfSuite[] = {
      "batched_gemm_bf16,2,16,64,64 in tot: ",
      "expected exactly one time, for this shape (no_time)",
      "batched_gemm_bf16,2,32,64,64 in tot: exit code 1: RuntimeError: out of memory",
      "batched_gemm_bf16,2,64,64,64 in golden: the bench wrote no times: MXFP4 is not available",
      "3 of 3 shapes failed; the benches' output: ",
      "no_common_key"};
  for (const char* said : kSaidOfSuite) EXPECT_THAT(ran.err, HasSubstr(said));
  const std::string times = Text(Path("out/golden.csv"));
  EXPECT_EQ(Count(times, "\nbatched_gemm_bf16,2,16,64,64,"), 5)
      << "three runs do not agree, so it must run five";
  EXPECT_EQ(Count(times, "\nbatched_gemm_bf16,2,32,64,64,"), 3);
  EXPECT_EQ(Count(times, "\nbatched_gemm_bf16,2,64,64,64,"), 0);
  EXPECT_THAT(Text(Path("out/suite.log")), HasSubstr("RuntimeError: out of memory\n"));
}

TEST_F(SuiteTest, times_are_those_of_traces_and_a_trace_without_the_kernel_fails_the_shape) {
  const std::vector<std::string> by_trace = {"--timing", "rocprofv3", "--env",
                                             Facts("golden", "3.4.0"), "--env"};
  auto arguments = by_trace;
  arguments.push_back(Facts("tot", "3.7.0"));
  const auto ran = RunToEnd(Bench(SmallSuite(), arguments));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\n3 below_floor, "));
  EXPECT_THAT(Text(Path("out/tot.csv")),
              HasSubstr("# timing: rocprofv3\n# triton: 3.7.0\nkernel,B,M,N,K,us\n"
                        "batched_gemm_bf16,2,16,64,64,2.9700\n"));
  arguments.back() = Facts("bare", "3.7.0", {{"STANDIN_TRACE", "memset"}});
  const auto bare = RunToEnd(Bench(SmallSuite(), arguments));
  EXPECT_THAT(bare.err, HasSubstr("suite_kernel_stats.csv: no row names kernel"));
  EXPECT_THAT(bare.err, HasSubstr("\n3 of 3 shapes failed; "));
}

TEST_F(SuiteTest, what_cannot_run_is_refused_before_anything_runs) {
  const std::string golden = Facts("golden", "3.4.0"), tot = Facts("tot", "3.7.0"),
                    small = SmallSuite();
  const auto refusal = [&](const std::string& suite, std::vector<std::string> more) {
    const auto ran = RunToEnd(Bench(suite, std::move(more)));
    EXPECT_EQ(ran.status, 2) << ran.out;
    return ran.err;
  };
  const std::pair<std::string, const char*> kFacts[] = {
      {R"({"triton":"3.7.0"})",
       "x.json: the fact 'python', the interpreter, is missing (bad_environment)"},
      {R"({"python":)", "x.json: expected JSON"},
      {R"({"python":"/nowhere/python"})",
       "x.json: cannot run the fact 'python', '/nowhere/python'"},
      {Json{{"python", Path("python3.4.0")}, {"triton", "3.7.0"}}.dump(),
       "x.json: the fact triton is '3.7.0', but '3.4.0' in "}};
  for (const auto& [facts, why] : kFacts)
    EXPECT_THAT(refusal(small, {"--env", golden, "--env", dir_.Write("x.json", facts)}),
                HasSubstr(why));
  EXPECT_THAT(refusal(small, {"--env", golden, "--env", golden}), HasSubstr("named 'golden'"));
  EXPECT_THAT(refusal(small, {"--env", golden}), HasSubstr("--env twice"));
  const std::string nowhere = Write("nowhere.json", Json{{"python", Path("python3.4.0")}}.dump());
  EXPECT_THAT(
      refusal(small, {"--env", nowhere, "--env", tot, "--hub", server_->url()}),
      HasSubstr(
          "nowhere.json: add gfx and cu_num, which a hub needs, because the driver lists no GPU"));
  EXPECT_THAT(refusal(small, {"--env", golden, "--env", tot, "--warmup", "9"}),
              HasSubstr("--warmup: a suite does not support it"));
  EXPECT_THAT(refusal("nothing", {"--env", golden, "--env", tot}),
              HasSubstr("no suite 'nothing' in "));
  EXPECT_THAT(refusal("batched_gemm", {"--env", golden, "--env", tot}),
              HasSubstr("kernel 'batched_gemm_a8w8_a_per_token_group_prequant"))
      << "the suite of the package";
  const std::string unknown = SmallSuite("batched_gemm_mystery");
  EXPECT_THAT(refusal(unknown, {"--env", golden, "--env", tot}),
              HasSubstr("kernel 'batched_gemm_mystery': found no " + std::string(kBenches) +
                        "batched_gemm_mystery.py in "));
  EXPECT_FALSE(fs::exists(Path("runs.log")));
}

}  // namespace
}  // namespace tunehub::test
