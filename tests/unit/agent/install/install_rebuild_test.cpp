// Tests `install --rebuild`. tests/support/aiter_jit_standin.py replaces AITER's JIT.
#include <cstdlib>

#include "agent/install/commands.h"
#include "tests/unit/agent/agent_support.h"
#include "tests/unit/agent/bundle_support.h"

namespace tunehub::agent::test {
namespace {

namespace fs = std::filesystem;

constexpr char kTableName[] = "a8w8_blockscale_tuned_gemm.csv";
constexpr char kInstallRebuildTable[] = "aiter/configs/a8w8_blockscale_tuned_gemm.csv";
constexpr char kModule[] = "aiter/jit/module_gemm_a8w8_blockscale.so";
constexpr char kOther[] = "aiter/jit/module_gemm_a8w8_blockscale_cktile.so";
constexpr char kBuilt[] = "a8w8_blockscale_1x128x128_1",
               kNotBuilt[] = "a8w8_blockscale_1x128x128_2";

std::string Library(const std::string& kernel) {
  return std::string("\x7f") + "ELF" + std::string(1, '\0') + "amdgcn-amd-amdhsa--gfx942" +
         std::string(1, '\0') + kernel + std::string(1, '\0');
}

class InstallRebuildTest : public CommandTest {
 protected:
  InstallRebuildTest() {
    folder_.Write("aiter/jit/core.py",
                  ReadText(TUNEHUB_SOURCE_DIR "/tests/support/aiter_jit_standin.py"));
    folder_.Write("csrc/ck_gemm_a8w8_blockscale/gemm_a8w8_blockscale_instance.py",
                  "class Kernel:\n    def __init__(self, name):\n        self.name = name\n"
                  "kernels_list = {0: Kernel('" +
                      std::string(kBuilt) + "'), 1: Kernel('" + kNotBuilt + "')}\n");
    folder_.Write("aiter/jit/build/module_gemm_a8w8_blockscale/blob/gemm_a8w8_blockscale_lookup.h",
                  "{\"" + std::string(kBuilt) + "\", " + kBuilt + "<D, E>},\n");
    folder_.Write(kModule, Library(kBuilt));
    folder_.Write(kOther, "as installed");
    folder_.Write(kInstallRebuildTable, safe_);
    options_.folder = folder_.path();
    options_.hub = "http://hub";
    options_.rebuild = true;
    ::setenv("STANDIN_LOG", (folder_ / "builds.log").c_str(), 1);
  }
  ~InstallRebuildTest() override {
    for (const char* name : {"STANDIN_LOG", "STANDIN_FAILS", "AITER_REBUILD"}) ::unsetenv(name);
  }

  // The agent sends three manifests: the found state, the expected state after a rebuild, and the
  // rebuilt state. The hub answers each manifest with a table.
  int Install(const std::string& now, const std::string& could_be, const std::string& became) {
    hub_.requests.clear();
    hub_.answers.clear();
    for (const std::string& table : {now, could_be, became}) {
      hub_.answers.push_back({201, {}, R"({"build":"aiter@abc"})"});
      hub_.answers.push_back(BundleOf({{kTableName, table}}));
    }
    return tunehub::agent::Install(configuration_, options_, hub_, pauses_.pauses,
                                   console_.console);
  }
  std::string Read(const char* file) const { return ReadText(folder_ / file); }
  std::string Builds() const {
    return fs::exists(folder_ / "builds.log") ? Read("builds.log") : "";
  }

  const std::string safe_ = kBlockscaleHeader + BlockscaleRow(16, "4.25", kBuilt);
  const std::string full_ = safe_ + BlockscaleRow(32, "6.5", kNotBuilt);
  InstallOptions options_;
};

TEST_F(InstallRebuildTest,
       rows_that_would_raise_are_installed_with_the_module_that_has_their_kernel) {
  ASSERT_EQ(Install(safe_, full_, full_), kGood) << console_.err.str();
  EXPECT_EQ(Read(kInstallRebuildTable), full_);
  EXPECT_THAT(Read(kModule), HasSubstr(kNotBuilt));
  EXPECT_EQ(Read(kOther), "as installed");
  EXPECT_EQ(Builds(), "module_gemm_a8w8_blockscale for None: 2 rows\n")
      << "the agent rebuilds no other module";
  EXPECT_THAT(console_.out.str(),
              HasSubstr("module_gemm_a8w8_blockscale: built; changes of its lookup table: 1 rows "
                        "added, 0 removed, 0 with another kernel; it now has 2 rows\n"));
  ASSERT_EQ(hub_.requests.size(), 6U);
  const std::string has = std::string(kBuilt) + ",1,";
  EXPECT_THAT(hub_.requests[0].body, HasSubstr(has));
  EXPECT_THAT(hub_.requests[2].body, testing::Not(HasSubstr(has))) << "the expected state";
  EXPECT_THAT(hub_.requests[4].body, testing::Not(HasSubstr(has))) << "the rebuilt state";
}

TEST_F(InstallRebuildTest,
       a_module_that_cannot_be_built_leaves_its_rows_out_and_the_old_one_in_place) {
  ::setenv("STANDIN_FAILS", "module_gemm_a8w8_blockscale", 1);
  EXPECT_EQ(Install(safe_, full_, safe_), kFinding);
  EXPECT_EQ(Read(kInstallRebuildTable), safe_);
  EXPECT_EQ(Read(kModule), Library(kBuilt));
  EXPECT_THAT(console_.out.str(), HasSubstr("module_gemm_a8w8_blockscale: not built: exit code 1"));
  EXPECT_THAT(console_.err.str(), HasSubstr("left out the rows whose module was not built"));
  EXPECT_EQ(hub_.requests[4].body, hub_.requests[0].body) << "the tree has not changed";
}

TEST_F(InstallRebuildTest, undo_gives_tables_and_modules_back) {
  ASSERT_EQ(Install(safe_, full_, full_), kGood) << console_.err.str();
  EXPECT_EQ(UndoInstall(configuration_, options_, console_.console), kGood);
  EXPECT_EQ(Read(kInstallRebuildTable), safe_);
  EXPECT_EQ(Read(kModule), Library(kBuilt));
  EXPECT_THAT(console_.out.str(), HasSubstr("1 modules restored to their state before --rebuild"));
}

TEST_F(InstallRebuildTest, where_no_row_waits_nothing_is_built_unless_all_are_asked_for) {
  EXPECT_EQ(Install(safe_, safe_, safe_), kGood) << console_.err.str();
  EXPECT_EQ(Builds(), "");
  ::setenv("AITER_REBUILD", "1", 1);
  EXPECT_EQ(Install(safe_, safe_, safe_), kGood) << console_.err.str();
  EXPECT_EQ(Builds(), "module_gemm_a8w8_blockscale for None: 1 rows\n");
}

TEST_F(InstallRebuildTest,
       rows_for_an_architecture_that_is_not_built_for_wait_for_nothing_unless_it_is_named) {
  std::string row = BlockscaleRow(32, "6.5", kNotBuilt);
  const std::string other = safe_ + row.replace(0, 10, "gfx950,256");
  EXPECT_EQ(Install(safe_, other, other), kGood) << console_.err.str();
  EXPECT_EQ(Builds(), "");
  options_.gpu_archs = "gfx942;gfx950";
  EXPECT_EQ(Install(safe_, other, other), kGood) << console_.err.str();
  EXPECT_EQ(Builds(), "module_gemm_a8w8_blockscale for gfx942;gfx950: 2 rows\n");
}

TEST_F(InstallRebuildTest, where_rows_would_be_lost_nothing_is_built) {
  folder_.Write(kInstallRebuildTable, safe_ + BlockscaleRow(48, "6.5", kNotBuilt));
  EXPECT_EQ(Install(safe_, full_, safe_), kFinding);
  EXPECT_EQ(Builds(), "");
  EXPECT_THAT(console_.err.str(), HasSubstr("the hub lacks 1 rows of this tree"));
  EXPECT_EQ(Read(kModule), Library(kBuilt));
}

TEST_F(InstallRebuildTest, a_tree_without_candidate_lists_cannot_be_built_again) {
  fs::remove_all(folder_ / "csrc");
  EXPECT_EQ(Install(safe_, full_, full_), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("(not_buildable)"));
  EXPECT_EQ(Read(kInstallRebuildTable), safe_);
}

}  // namespace
}  // namespace tunehub::agent::test
