// Compares golden and new times by kernel and shape, from files of drivers, benchmarks and traces.
#include <fmt/core.h>

#include "agent/tune/commands.h"
#include "core/analysis/bucket_merge.h"
#include "tests/support/result.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent {
namespace {

using agent::test::BlockscaleRow;
using agent::test::kBlockscaleHeader;
using agent::test::Ran;
using agent::test::TempFolder;
using testing::HasSubstr;

constexpr char kGoldenJson[] =
    R"({"env":"golden","captured":"2026-05-06T23:14:49","aiter_commit":"226c2a87b",
        "triton_version":"3.4.0","rocm_version":"7.2.0","async_copy":"0"})";
constexpr char kNewJson[] =
    R"({"env":"new","captured":"2026-05-06T23:17:29","aiter_commit":"226c2a87b",
        "triton_version":"3.7.0","rocm_version":"7.2.0","async_copy":"1"})";

constexpr char kKernelName[] = "a8w8_blockscale_1x128x128_x";

constexpr int kShapes = 61, kShort = 5;  // the golden times of kShort shapes are below 4 us

// Returns an invented time of a shape. `slower`: how many shapes are slower; 0 on the golden side.
double SuiteTime(int shape, int slower) {
  const double golden = shape < kShort ? 3 : 10 + shape;
  if (shape < kShort) return slower > 0 ? golden * 3 : golden;
  if (shape < kShort + slower) return golden * 1.2;
  return slower > 0 ? golden * 1.005 + 0.4 : golden;
}

std::string SuiteShape(int shape) {
  constexpr const char* kKernels[] = {"batched_gemm_a8w8", "batched_gemm_a16wfp4",
                                      "batched_gemm_afp4wfp4", "batched_gemm_bf16",
                                      "batched_gemm_a8w8_prequant"};
  return fmt::format("{},16,{},512,128", kKernels[shape % 5], 16 * (shape + 1));
}

class CompareSuite : public testing::Test {
 protected:
  // Writes three runs of each shape, within 3 %.
  std::string File(const std::string& name, int slower) const {
    std::string csv = "kernel,B,M,N,K,us\n";
    for (int i = 0; i < kShapes; ++i) {
      for (const double run : {0.99, 1.0, 1.02})
        csv += fmt::format("{},{:.4f}\n", SuiteShape(i), SuiteTime(i, slower) * run);
    }
    return folder_.Write(name, csv);
  }

  // Writes one trace per shape. Each trace also contains other kernels.
  std::string Traces(const std::string& name, int slower) const {
    std::string csv = "kernel,B,M,N,K,trace\n";
    for (int i = 0; i < kShapes; ++i) {
      const std::string shape = SuiteShape(i), kernel = shape.substr(0, shape.find(','));
      const double ns = SuiteTime(i, slower) * 1000;
      Trace(fmt::format("{}/{}.csv", name, i),
            fmt::format("\"_{}_kernel\",100,0,{},90,1,1,0\n\"_{}_reduce_kernel\",100,0,{},5,1,1,0\n"
                        "\"void fill(float*, int)\",7,0,900.5,5,1,1,0\n",
                        kernel, ns * 0.75, kernel, ns * 0.25));
      csv += fmt::format("{},{}/{}.csv\n", shape, name, i);
    }
    return folder_.Write(name + ".csv", csv);
  }
  std::string Trace(const std::string& name, const std::string& rows) const {
    return folder_.Write(name,
                         "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\","
                         "\"MinNs\",\"MaxNs\",\"StdDev\"\n" +
                             rows);
  }

  static Ran Compare(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "compare");
    arguments.push_back("--fail-on-regress");
    return agent::test::RunCommand(RunCompare, std::move(arguments));
  }

  std::string ErrorOf(const std::string& csv, const std::string& unit = "us") const {
    const std::string file = folder_.Write("x.csv", csv);
    const Ran ran = Compare({file, file, "--unit", unit});
    EXPECT_EQ(ran.code, kFailed) << ran.out;
    return ran.err;
  }

  TempFolder folder_;
  const std::string golden_env_ = folder_.Write("golden.json", kGoldenJson),
                    new_env_ = folder_.Write("new.json", kNewJson);
};

TEST_F(CompareSuite,
       of_two_environments_has_22_regressions_and_14_after_tuning_by_files_and_by_traces) {
  for (const bool traces : {false, true}) {
    const auto made = [&](const std::string& name, int slower) {
      return traces ? Traces(name + "_traces", slower) : File(name + ".csv", slower);
    };
    const std::string golden = made("golden", 0), out = folder_ / "out.csv";
    for (const int slower : {22, 14}) {
      const Ran ran = Compare({golden, made("new" + std::to_string(slower), slower), "--golden-env",
                               golden_env_, "--new-env", new_env_, "-o", out});
      EXPECT_EQ(ran.code, kFinding) << ran.err;
      EXPECT_THAT(ran.out, HasSubstr(fmt::format("\n{} slower, 5 below_floor, {} same, ", slower,
                                                 kShapes - kShort - slower)));
      EXPECT_THAT(ran.out,
                  HasSubstr("environments: two: these facts differ: async_copy, triton\n"));
      EXPECT_THAT(agent::test::ReadText(out),
                  HasSubstr("# environments: two: these facts differ: async_copy, triton\n"
                            "target,kernel,B,M,N,K,change,base_us,head_us,speedup,"));
      EXPECT_THAT(agent::test::ReadText(out),
                  HasSubstr(",batched_gemm_a8w8,16,96,512,128,slower,15.0,18.0,0.8333,"));
    }
    const Ran repeated =
        Compare({golden, made("again", 0), "--golden-env", golden_env_, "--new-env", golden_env_});
    EXPECT_EQ(repeated.code, kGood) << repeated.err;
    EXPECT_THAT(repeated.out, HasSubstr("environments: one: base and head have the same facts\n"));
  }
}

TEST_F(CompareSuite,
       a_tenfold_time_of_the_same_kernel_is_a_regression_unless_all_facts_are_the_same) {
  const std::string golden =
      folder_.Write("golden.csv", "# triton: 3.4.0\n" +
                                      (kBlockscaleHeader + BlockscaleRow(16, "9", kKernelName)));
  const std::string now =
      folder_.Write("new.csv", kBlockscaleHeader + BlockscaleRow(16, "90", kKernelName));
  const Ran other = Compare({golden, now, "--golden-env", "rocm=7.2.0", "--new-env", "rocm=7.2.0",
                             "triton_version=3.7.0"});
  EXPECT_EQ(other.code, kFinding);
  EXPECT_THAT(other.out, HasSubstr("environments: two: these facts differ: triton\n"));
  EXPECT_THAT(other.out, HasSubstr("1 slower, "));
  const Ran repeated = Compare({golden, now, "--new-env", "triton=3.4.0"});
  EXPECT_EQ(repeated.code, kGood);
  EXPECT_THAT(repeated.out, HasSubstr("environments: one: base and head have the same facts\n"));
  EXPECT_THAT(repeated.out, HasSubstr("1 same_kernel, "));
  EXPECT_EQ(Compare({golden, now, "--new-env", "triton=3.4.0", "async_copy=1"}).code, kFinding);
}

TEST_F(CompareSuite, takes_what_tritons_benches_and_the_template_and_aiters_bench_write) {
  const std::string older =
      folder_.Write("older.csv", "batch,M,N,K,Triton\n16.000000,1.0,1280,8192,0.010000\n");
  const std::string newer = folder_.Write(
      "newer.csv", "M,batch,N,K,Triton (Time (ms)),occupancy\n1.000000,16,1280,8192,0.020000,8\n");
  const Ran bench = Compare({older, newer, "--unit", "ms"});
  EXPECT_EQ(bench.code, kFinding) << bench.err;
  EXPECT_THAT(
      bench.out,
      HasSubstr("10.00        20.00    0.500  slower                B=16 M=1 N=1280 K=8192"));
  EXPECT_THAT(bench.err, HasSubstr("newer.csv: ignored these columns, which are not of a shape and "
                                   "not a time: occupancy\n"));

  const std::string form(buckets::RunsTemplate());
  const std::string filled =
      folder_.Write("filled.csv", form + "batched_gemm_a8w8,16,64,512,128,M_LEQ_64,12.5\n");
  const Ran itself = Compare({filled, filled});
  EXPECT_EQ(itself.code, kGood) << itself.err;
  EXPECT_THAT(itself.out, HasSubstr("base: config=old file=" + filled +
                                    " gfx=gfx950 rocm=7.2.0 triton=3.7.0\n"));

  const std::string before = folder_.Write("before.csv",
                                           "M,N,K,q_dtype_w,us,status\n"
                                           "16,128,512,torch.int8,8,ok\n");
  const std::string after = folder_.Write("after.csv",
                                          "M,N,K,q_dtype_w,us,status\n"
                                          "16,128,512,torch.int8,6,ok\n");
  EXPECT_THAT(Compare({before, after}).out, HasSubstr("1 faster, "));
}

TEST_F(CompareSuite, several_times_of_a_row_are_lines_of_their_own) {
  const std::string base = folder_.Write("a.csv", "M,N,K,Torch (us),Triton (us)\n1,2,3,10,20\n");
  const std::string head = folder_.Write("b.csv", "M,N,K,Torch (us),Triton (us)\n1,2,3,10,90\n");
  EXPECT_THAT(Compare({base, head}).out, HasSubstr("1 slower, 1 same, "))
      << "the fastest time of a row would hide the regression";
}

TEST_F(CompareSuite, what_cannot_be_read_is_named_with_its_place) {
  Trace("other.csv", "\"void fill(float*, int)\",7,0,900.5,5,1,1,0\n");
  Trace("two.csv", "\"_gemm_a\",100,0,9,1,1,1,0\n\"_gemm_b\",50,0,9,1,1,1,0\n");
  Trace("bad.csv", "\"gemm\",0,0,9,1,1,1,0\n");
  const std::string row = "kernel,M,N,K,trace\ngemm,1,2,3,";
  const std::pair<std::string, const char*> kRefused[] = {
      {agent::test::ReadText(Trace("t.csv", "\"gemm\",1,0,9,1,1,1,0\n")),
       "x.csv:1: is an output of rocprofv3 --stats, whose rows name no shape. List one trace per "
       "shape"},
      {row + "other.csv\n", "other.csv: no row names kernel 'gemm'"},
      {row + "two.csv\n", "two.csv:3: '_gemm_a' has 100 calls, but '_gemm_b' has 50"},
      {row + "bad.csv\n",
       "bad.csv:2: Calls '0' must be a whole number from 1, and AverageNs '9' a number above 0"},
      {row + "x.csv\n", "x.csv: expected the output of rocprofv3 --kernel-trace --stats"},
      {row + "gone.csv\n", "x.csv:2: "},
      {"kernel,M,N,K,us,trace\n", "x.csv:1: has the columns us and trace"},
      {"M,N,K,trace\n", "x.csv:1: has a column trace, but no column kernel"},
      {"kernel,M,N,K,us\ngemm,16.5,2,3,4\n", "x.csv:2: column M: '16.5': expected a whole number"},
      {"kernel,M,N,K,us\n,16,2,3,4\n", "x.csv:2: column kernel is empty"},
      {"kernel,M,N,K,us\ngemm,16,2,3\n", "x.csv:2: has 4 fields, but the header has 5"},
      {"kernel,M,N,K,us\ngemm,16,2,3,fast\n", "x.csv:2: us is 'fast'"},
      {"kernel,M,M,us\n", "x.csv:1: two columns are named 'M'"},
      {"M,N,K,Triton (Throughput (TFLOPS))\n1,2,3,4\n", "x.csv:1: no column is a time"},
      {"x,y\n1,2\n", "x.csv:1: found no column of a shape"},
      {"M,N,K,us,kernelName\n1,2,3,4,mystery\n", "matches no family"}};
  for (const auto& [csv, why] : kRefused) EXPECT_THAT(ErrorOf(csv), HasSubstr(why));
  const std::string file = File("g.csv", 0), bad = folder_.Write("bad.json", R"({"rocm":{}})");
  EXPECT_THAT(Compare({file, file, "--golden-env", bad}).err,
              HasSubstr("bad.json: /rocm: {}: expected a text"));
  EXPECT_THAT(Compare({file, file, "--new-env", file}).err, HasSubstr("g.csv: expected JSON"));
}

using agent::test::ReadText;
using agent::test::RealConfiguration;

TEST(Suite, that_is_none_is_refused_with_its_member) {
  const agent::test::TempFolder folder;
  const auto refusal = [&](const std::string& text) {
    const auto cases = LoadSuite({}, folder.Write("x.json", text));
    return cases.ok() ? "none" : cases.error().code + " " + cases.error().detail;
  };
  const std::string named = R"({"kernels":[{"name":"gemm","script":"x.py",)";
  EXPECT_EQ(refusal(named + R"("shapes":[[1,2,3,4]]}]})"), "none");
  const std::pair<std::string, const char*> kRefused[] = {
      {"{", "expected JSON"},
      {R"({"kernels":[]})", "x.json: expected at least one kernel with a shape"},
      {named + R"("shapes":[[1,2,3]]}]})",
       "/kernels/0/shapes: [1,2,3]: expected [B, M, N, K], whole numbers above 0"},
      {named + R"("shapes":[[1,2,3,0]]}]})", "/kernels/0/shapes: [1,2,3,0]: expected"},
      {named + R"("shapes":[[1,2,3,4.5]]}]})", "/kernels/0/shapes: [1,2,3,4.5]: expected"},
      {named + R"("shapes":7}]})", "/kernels/0/shapes: must be an array"},
      {named + R"("shapes":[],"shape":[]}]})", "/kernels/0/shape: "},
      {R"({"kernels":[{"script":"x.py","shapes":[]}]})", "/kernels/0/name: is missing"},
      {R"({"kernels":[{"name":"a,b","script":"x","shapes":[]}]})",
       "name: 'a,b': expected a kernel's name"}};
  for (const auto& [text, why] : kRefused)
    EXPECT_THAT(refusal(text), testing::AllOf(HasSubstr("bad_suite"), HasSubstr(why)));
  EXPECT_THAT(refusal("{}"), HasSubstr("/kernels: is missing"));
}

class SuiteSideTest : public testing::Test {
 protected:
  core::Result<SuiteSide> Open(const std::string& more,
                               const std::string& timing = "driver") const {
    const std::string facts = folder_.Write(
        "golden.json", R"({"python":"python3","TRITON_X":"1","PYTHONPATH":"/mine")" + more + "}");
    return OpenSuiteSide(configuration_.families, facts, folder_.path(), "/aiter",
                         {{"timing", timing}});
  }
  std::string Refusal(const std::string& more, const std::string& timing = "driver") const {
    const auto side = Open(more, timing);
    return side.ok() ? "" : side.error().code + " " + side.error().detail;
  }

  agent::test::TempFolder folder_;
  Configuration configuration_ = RealConfiguration();
};

TEST_F(SuiteSideTest, is_read_back_as_it_was_saved) {
  auto side = Must(Open(R"(,"captured":"monday","note_of_mine":" spaced ")"));
  EXPECT_EQ(side.variables["TRITON_X"], "1");
  EXPECT_EQ(side.variables["PYTHONPATH"], "/aiter:/mine");
  EXPECT_TRUE(side.facts.contains("python_version")) << "the interpreter's version is a fact";
  EXPECT_TRUE(side.us.empty());
  side.us["gemm,1,2,3,4"] = {7905.25, 7906, 7907};
  ASSERT_TRUE(side.Save().ok());
  EXPECT_EQ(Must(Open(R"(,"captured":"tuesday","note_of_mine":" spaced ")")).us, side.us);
}

TEST_F(SuiteSideTest, of_other_facts_or_other_rows_is_refused_and_stays_as_it_is) {
  ASSERT_TRUE(Open("")->Save().ok());
  EXPECT_EQ(Refusal(""), "");
  const std::string saved = ReadText(folder_ / "golden.csv");
  EXPECT_THAT(Refusal(R"(,"branch":"main")"),
              HasSubstr("other_facts " + (folder_ / "golden.csv") +
                        ": branch was not given and is 'main' now; use another -o"));
  EXPECT_THAT(Refusal("", "rocprofv3"), HasSubstr("timing was 'driver' and is 'rocprofv3' now"));
  folder_.Write("golden.csv", saved.substr(0, saved.find("kernel,")) + "M,N,K,us\n1,2,3,4\n");
  EXPECT_THAT(Refusal(""), HasSubstr("bad_header"));
  EXPECT_THAT(Refusal(R"(,"python_version":"2.7.18")"),
              HasSubstr("other_version " + (folder_ / "golden.json") +
                        ": the fact python_version is '2.7.18', but '3."));
}

}  // namespace
}  // namespace tunehub::agent
