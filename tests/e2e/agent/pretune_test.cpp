// `pretune` of an AITER tree's modules, without a hub. In tests/support, aiter_tune_standin.py
// stands in for the tuners and aiter_jit_standin.py for the build.
#include "tests/e2e/hub_fixture.h"
#include "tests/support/aiter_root.h"

namespace tunehub::test {
namespace {

namespace fs = std::filesystem;

constexpr char kA8w8Header[] =
    "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";

class PretuneTest : public testing::Test {
 protected:
  PretuneTest() {
    MakeAiterRoot(dir_.path() / "aiter");
    fs::copy_file(TUNEHUB_SOURCE_DIR "/tests/support/aiter_jit_standin.py",
                  dir_.path() / "aiter/aiter/jit/core.py", fs::copy_options::overwrite_existing);
    dir_.Write("aiter/aiter/jit/optCompilerConfig.json",
               R"({"module_gemm_a8w8": {}, "module_gemm_a8w8_tune": {}, "module_topk_tune": {}})");
    dir_.Write("aiter/aiter/jit/module_gemm_a8w8.so", "as installed");
    dir_.Write("aiter/aiter/jit/module_other.so", "as installed");
    dir_.Write(kTable,
               std::string(kA8w8Header) +
                   "gfx942,304,16,1280,8192,torch.int8,7,0,99.5,a8w8_rowwise_7,1.0,1.0,0.0\n"
                   "gfx942,80,32,1280,8192,torch.int8,7,0,99.5,a8w8_rowwise_7,1.0,1.0,0.0\n");
  }
  std::string Path(const std::string& name) const { return dir_ / name; }
  std::string Read(const std::string& name) const { return ReadText(Path(name)); }
  Finished Pretune(std::vector<std::string> arguments, const std::string& mode = "ok",
                   const std::string& fails = "") const {
    arguments.insert(arguments.begin(), "pretune");
    for (const char* option : {"aiter", "spool", "state", "logs"}) {
      arguments.insert(arguments.end(), {"--" + std::string(option), Path(option)});
    }
    return RunToEnd({AgentBinary(),
                     arguments,
                     {{"STANDIN_MODE", mode},
                      {"STANDIN_PREFIX", "a8w8_rowwise_"},
                      {"STANDIN_FAILS", fails},
                      {"STANDIN_LOG", Path("builds.log")}}});
  }

  static constexpr char kTable[] = "aiter/aiter/configs/a8w8_tuned_gemm.csv";
  static constexpr char kModule[] = "aiter/aiter/jit/module_gemm_a8w8.so";
  TempDir dir_;
};

TEST_F(PretuneTest, the_trees_shapes_are_tuned_and_the_module_is_built_from_the_new_table) {
  const auto done = Pretune({"all"});
  ASSERT_EQ(done.status, 0) << done.out << done.err;
  EXPECT_THAT(done.out, HasSubstr("2 of 2 shapes tuned"));
  EXPECT_THAT(done.out,
              HasSubstr("module_gemm_a8w8: built; changes of its lookup table: 3 rows added"));
  const std::string table = Read(kTable);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 4) << table;
  EXPECT_THAT(table, HasSubstr("gfx942,80,32,1280,8192,torch.int8,7,0,99.5,a8w8_rowwise_7"));
  EXPECT_THAT(Read(kModule), HasSubstr("a8w8_rowwise_1"));
  EXPECT_EQ(Read("aiter/aiter/jit/module_other.so"), "as installed");
  EXPECT_EQ(Read("builds.log"), "module_gemm_a8w8 for None: 3 rows\n");
  const auto again = Pretune({"gemm_a8w8"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("there is nothing to build"));
}

TEST_F(PretuneTest, a_module_that_cannot_be_built_leaves_the_tree_as_it_was) {
  const std::string before = Read(kTable);
  const auto done = Pretune({"module_gemm_a8w8_tune"}, "ok", "module_gemm_a8w8");
  EXPECT_EQ(done.status, 1) << done.out << done.err;
  EXPECT_THAT(done.out, HasSubstr("module_gemm_a8w8: not built: exit code 1: RuntimeError"));
  EXPECT_THAT(done.err, HasSubstr("the tables and modules are unchanged"));
  EXPECT_EQ(Read(kTable), before);
  EXPECT_EQ(Read(kModule), "as installed");
}

TEST_F(PretuneTest, shapes_that_fail_are_status_one_and_the_others_are_built) {
  EXPECT_EQ(Pretune({"all"}, "partial").status, 1);
  EXPECT_THAT(Read(kModule), HasSubstr("a8w8_rowwise_1"));
  EXPECT_EQ(Pretune({"all"}, "nothing").status, 2);
}

TEST_F(PretuneTest, the_list_says_what_can_be_tuned_and_why_others_cannot) {
  const auto done = Pretune({"--list"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.out,
            "module_gemm_a8w8_tune: a8w8_tuned_gemm.csv, by "
            "csrc/ck_gemm_a8w8/gemm_a8w8_tune.py\nmodule_topk_tune: not supported: the module "
            "contains no table\n");
}

TEST_F(PretuneTest, what_cannot_be_done_is_one_sentence) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"no_such"},
                                                    {"topk"},
                                                    {"all", "--tuner", "builtin"},
                                                    {"all", "--family", "a8w8"},
                                                    {"all", "--exhaustive"},
                                                    {}}) {
    const auto done = Pretune(arguments);
    EXPECT_EQ(done.status, 2) << done.out;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
  }
  fs::remove(Path("aiter/aiter/jit/optCompilerConfig.json"));
  EXPECT_THAT(Pretune({"all"}).err, HasSubstr("no_modules"));
}

}  // namespace
}  // namespace tunehub::test
