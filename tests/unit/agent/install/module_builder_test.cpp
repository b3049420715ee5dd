// AITER's JIT rebuilds modules. tests/support/aiter_jit_standin.py replaces the JIT.
#include "agent/install/module_builder.h"

#include <cstdlib>

#include "tests/support/result.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr char kBuiltModule[] = "module_gemm_a8w8";
constexpr char kHeader[] = "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName\n";

class ModuleBuilderTest : public testing::Test {
 protected:
  ModuleBuilderTest() {
    folder_.Write("tree/aiter/jit/core.py",
                  ReadText(TUNEHUB_SOURCE_DIR "/tests/support/aiter_jit_standin.py"));
    folder_.Write("tree/aiter/configs/a8w8_tuned_gemm.csv", kHeader);
    table_ = (std::string(kHeader) +
              "gfx942,304,16,1280,8192,torch.int8,1,0,5,a8w8_rowwise_1\n"
              "gfx942,304,32,1280,8192,torch.int8,2,0,5,a8w8_rowwise_2\n"
              "gfx950,256,32,1280,8192,torch.int8,2,0,5,a8w8_rowwise_2\n");
    ::setenv("STANDIN_LOG", (folder_ / "builds.log").c_str(), 1);
    folder_.Write("tree/aiter/jit/module_gemm_a8w8.so", "as installed");
    folder_.Write("tree/aiter/jit/build/module_gemm_a8w8/blob/gemm_a8w8_lookup.h",
                  "{{\"gfx942\", 304, 16, 1280, 8192}, a8w8_rowwise_7<D, E>},\n"
                  "{{\"gfx942\", 304, 8, 1280, 8192}, a8w8_rowwise_7<D, E>},\n");
    folder_.Write("tree/aiter/jit/module_other.so", "as installed");
  }
  ~ModuleBuilderTest() override { ::unsetenv("STANDIN_LOG"); }
  fs::path Jit() const { return folder_ / "tree/aiter/jit"; }
  ModuleBuilder Open(const std::string& archs = "") const {
    BuilderOptions options;
    options.root = folder_ / "tree";
    options.gpu_archs = archs;
    options.log = folder_ / "build.log";
    auto builder = Must(ModuleBuilder::Open(options));
    Must(builder.SetTable("a8w8_tuned_gemm.csv", "AITER_CONFIG_GEMM_A8W8", table_));
    return builder;
  }
  BuiltModule Build(const ModuleBuilder& builder, const std::string& module = kBuiltModule) const {
    return builder.Build(module, [] { return false; });
  }
  std::map<std::string, std::string> Files() const {
    auto files = tunehub::test::FilesBelow(Jit());
    std::erase_if(files,
                  [](const auto& it) { return it.first.find("__pycache__") != it.first.npos; });
    return files;
  }

  TempFolder folder_;
  std::string table_;
};

TEST_F(ModuleBuilderTest, a_module_takes_its_place_once_it_is_built_and_no_other_is_touched) {
  {
    const ModuleBuilder builder = Open();
    const BuiltModule module = Build(builder);
    ASSERT_TRUE(module.built) << module.why;
    EXPECT_EQ(SummaryOf(module.lookup),
              "1 rows added, 1 removed, 1 with another kernel; it now has 2 rows");
    EXPECT_THAT(module.lookup.changed, ElementsAre("\"gfx942\",304,16,1280,8192: a8w8_rowwise_7 -> "
                                                   "a8w8_rowwise_1"));
    EXPECT_EQ(ReadText(Jit() / "module_gemm_a8w8.so"), "as installed") << "not yet";
    ASSERT_TRUE(builder.PutInPlace(kBuiltModule, false).ok());
  }
  EXPECT_THAT(ReadText(Jit() / "module_gemm_a8w8.so"), HasSubstr("a8w8_rowwise_2"));
  EXPECT_EQ(ReadLookupHeaders(Jit() / "build/module_gemm_a8w8").size(), 2U);
  EXPECT_EQ(ReadText(Jit() / "module_other.so"), "as installed");
  EXPECT_FALSE(fs::exists(Jit() / ".tunehub-build"));
  EXPECT_EQ(ReadText(folder_ / "builds.log"), "module_gemm_a8w8 for None: 2 rows\n");
}

TEST_F(ModuleBuilderTest, what_was_there_first_is_put_back) {
  const auto before = Files();
  for (int i = 0; i < 2; ++i) {
    const ModuleBuilder builder = Open();
    ASSERT_TRUE(Build(builder).built);
    ASSERT_TRUE(builder.PutInPlace(kBuiltModule, true).ok());
  }
  EXPECT_NE(ReadText(Jit() / "module_gemm_a8w8.so"), "as installed");
  EXPECT_EQ(*PutModulesBack(Jit()), 1U);
  EXPECT_EQ(Files(), before);
  EXPECT_EQ(*PutModulesBack(Jit()), 0U);
}

TEST_F(ModuleBuilderTest, a_build_that_fails_changes_nothing_and_says_why) {
  const auto before = Files();
  ::setenv("STANDIN_FAILS", kBuiltModule, 1);
  const BuiltModule module = Build(Open());
  ::unsetenv("STANDIN_FAILS");
  EXPECT_FALSE(module.built);
  EXPECT_THAT(module.why, HasSubstr("exit code 1: RuntimeError: [aiter] build [module_gemm_a8w8]"));
  EXPECT_EQ(Files(), before);
  EXPECT_THAT(ReadText(folder_ / "build.log"), HasSubstr("Traceback"));
}

TEST_F(ModuleBuilderTest, a_build_that_is_not_put_in_place_is_forgotten) {
  const auto before = Files();
  EXPECT_TRUE(Build(Open()).built);
  EXPECT_EQ(Files(), before);
}

TEST_F(ModuleBuilderTest, it_is_built_for_the_architectures_that_are_named) {
  const ModuleBuilder builder = Open("gfx942;gfx950");
  EXPECT_EQ(Build(builder).lookup.rows, 3U);
  EXPECT_THAT(ReadText(folder_ / "builds.log"), HasSubstr("for gfx942;gfx950: 3 rows"));
}

TEST_F(ModuleBuilderTest, what_aiter_does_not_know_is_no_module) {
  const BuiltModule module = Build(Open(), "module_no_such");
  EXPECT_FALSE(module.built);
  EXPECT_THAT(module.why, HasSubstr("module_no_such is no module of this AITER"));
}

TEST_F(ModuleBuilderTest, one_builds_at_a_time_and_a_tree_without_a_jit_is_said) {
  const ModuleBuilder first = Open();
  BuilderOptions options;
  options.root = folder_ / "tree";
  EXPECT_EQ(ModuleBuilder::Open(options).error().code, "busy");
  options.root = folder_ / "nothing";
  EXPECT_EQ(ModuleBuilder::Open(options).error().code, "no_jit");
}

TEST_F(ModuleBuilderTest, a_table_that_is_left_out_is_not_built_from_and_stays_in_the_tree) {
  folder_.Write("tree/aiter/configs/model_configs/x_a8w8_tuned_gemm.csv", "stays");
  ModuleBuilder builder = Open();
  ASSERT_TRUE(builder.LeaveOut("model_configs/x_a8w8_tuned_gemm.csv").ok());
  EXPECT_EQ(Build(builder).lookup.rows, 2U);
  EXPECT_EQ(ReadText(folder_ / "tree/aiter/configs/model_configs/x_a8w8_tuned_gemm.csv"), "stays");
  EXPECT_EQ(ReadText(folder_ / "tree/aiter/configs/a8w8_tuned_gemm.csv"), kHeader);
}

TEST_F(ModuleBuilderTest, modules_lie_where_aiter_looks_for_them) {
  EXPECT_EQ(JitFolderOf(folder_ / "tree"), Jit());
  ::setenv("AITER_JIT_DIR", "/elsewhere", 1);
  EXPECT_EQ(JitFolderOf(folder_ / "tree"), "/elsewhere");
  ::unsetenv("AITER_JIT_DIR");
}

using testing::Pair;

// Lookup headers in the formats of AITER's generators: by shape, by name, or written by hand with
// comments. In older releases, headers by shape lack the architecture.
constexpr char kByShape[] =
    "#pragma once\n#ifdef USE_ROCM\n\n#define GENERATE_LOOKUP_TABLE(DTYPE, ETYPE)    \\\n"
    "   {                                    \\\n"
    "       {{\"gfx942\", 304, 16, 1280, 8192},      \\\n"
    "        a8w8_rowwise_256x16x64<DTYPE, ETYPE>},                 \\\n"
    "       {{\"gfx942\", 304, 32, 1280, 8192},      \\\n"
    "        a8w8_rowwise_256x32x64<DTYPE, ETYPE>},                 \\\n"
    "   }\n\n#endif // USE_ROCM\n";

TEST(LookupHeader, rows_are_read_whatever_they_are_keyed_by_and_what_is_none_is_passed_over) {
  EXPECT_THAT(ReadLookupHeader(kByShape),
              ElementsAre(Pair("\"gfx942\",304,16,1280,8192", "a8w8_rowwise_256x16x64"),
                          Pair("\"gfx942\",304,32,1280,8192", "a8w8_rowwise_256x32x64")));
  EXPECT_THAT(ReadLookupHeader("{ /* NK= 4608, 3584 */ \\\n {{16, 4608, 3584}, \\\n x_1<DTYPE>},"
                               " // {{1, 2, 3}, y<D>}\n"),
              ElementsAre(Pair("16,4608,3584", "x_1")));
  EXPECT_THAT(ReadLookupHeader("   {\"a8w8_blockscale_x\", a8w8_blockscale_x<DTYPE, ETYPE>},\\\n"),
              ElementsAre(Pair("a8w8_blockscale_x", "a8w8_blockscale_x")));
  for (const char* text : {"", "<", "/*", "//", "a<b>", ",a<b>", "},a<b>", "\",a<b>", "{\"},a<b>",
                           "{1}},a<", "#include <vector>", "{{1,2,3},<x>", "\"x\",a<b>"}) {
    EXPECT_TRUE(ReadLookupHeader(text).empty()) << text;
  }
}

TEST(LookupHeader, what_a_build_changed_is_counted_and_named) {
  const LookupRows before = {{"1,2,3", "a"}, {"2,2,3", "a"}, {"3,2,3", "b"}};
  const LookupRows after = {{"1,2,3", "a"}, {"2,2,3", "c"}, {"4,2,3", "b"}};
  const LookupChange change = CompareLookups(before, after);
  EXPECT_EQ(SummaryOf(change), "1 rows added, 1 removed, 1 with another kernel; it now has 3 rows");
  EXPECT_THAT(change.added, ElementsAre("4,2,3"));
  EXPECT_THAT(change.removed, ElementsAre("3,2,3"));
  EXPECT_THAT(change.changed, ElementsAre("2,2,3: a -> c"));
  LookupRows many;
  for (int i = 0; i < 50; ++i) many[std::to_string(i)] = "a";
  const LookupChange all = CompareLookups({}, many);
  EXPECT_EQ(all.rows_added, 50U);
  EXPECT_EQ(all.added.size(), kMostKeys);
}

TEST(LookupHeader, all_headers_of_a_modules_build_folder_are_its_table) {
  const TempFolder folder;
  folder.Write("module_x/blob/x_lookup.h", kByShape);
  folder.Write("module_x/blob/impl/y_lookup.h", "{{1, 2, 3}, y<D>}");
  folder.Write("module_x/blob/z.h", "{{7, 2, 3}, z<D>}");
  EXPECT_EQ(ReadLookupHeaders(folder / "module_x").size(), 3U);
  EXPECT_TRUE(ReadLookupHeaders(folder / "none").empty());
}

}  // namespace
}  // namespace tunehub::agent::test
