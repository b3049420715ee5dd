// tunehub-agent install --reader: the engine's folder after an install and after its undo.
#include <map>

#include "agent/install/commands.h"
#include "tests/support/hostile_names.h"
#include "tests/unit/agent/agent_support.h"
#include "tests/unit/agent/tree_support.h"

namespace tunehub::agent::test {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kPackages = {"vllm/configs", "vllm/old"};

class AgentInstallReader : public testing::Test {
 protected:
  AgentInstallReader() {
    Put("E=1.json", R"({"1": {"w": 1}})");
    Put("E=9.json", "{}");
    options_.folder = folder_.path();
    options_.reader = "vllm";
    options_.hub = "http://hub";
    before_ = Files();
  }
  void Put(const std::string& name, const std::string& bytes) {
    folder_.Write("vllm/configs/" + name, bytes);
  }
  // Returns every file and folder, including hidden ones.
  std::map<std::string, std::string> Files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      files[fs::relative(entry.path(), folder_.path())] =
          entry.is_regular_file() ? ReadText(entry.path()) : "";
    }
    return files;
  }
  std::string Read(const std::string& name) const {
    return ReadText(folder_ / ("vllm/configs/" + name));
  }
  int Run() {
    console_.Clear();
    return InstallReader(reader_, options_, &hub_, pauses_.pauses, console_.console);
  }
  int Undo() {
    console_.Clear();
    return UndoReaderInstall(options_, kPackages, console_.console);
  }

  TempFolder folder_;
  FakeHub hub_;
  RecordedPauses pauses_;
  RecordingConsole console_;
  InstallOptions options_;
  const Configuration configuration_ = ShortReaderConfiguration();
  const core::Reader& reader_ = configuration_.readers.all().front();
  std::map<std::string, std::string> before_;
};

const std::map<std::string, std::string> kNew = {{"E=1.json", R"({"1": {"w": 2}, "2": {"w": 1}})"},
                                                 {"E=2.json", R"({"1": {"w": 3}})"},
                                                 {"triton_3_4_0/E=3.json", R"({"1": {"w": 4}})"},
                                                 {"E=9.json", "{}"}};

TEST_F(AgentInstallReader, puts_files_there_and_takes_them_back) {
  options_.device = "MI300X";
  hub_.answers = {TreeOf(kNew)};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(hub_.requests[0].target, "/tree/vllm?device=MI300X");
  for (const auto& [name, bytes] : kNew) EXPECT_EQ(Read(name), bytes) << name;
  EXPECT_THAT(console_.out.str(), HasSubstr("1 files replaced, 2 added, 1 unchanged"));
  EXPECT_THAT(console_.out.str(), HasSubstr(" reads them after the files of "));
  EXPECT_EQ(Undo(), kGood);
  EXPECT_EQ(Files(), before_);
  EXPECT_EQ(Undo(), kGood);
  EXPECT_THAT(console_.out.str(), HasSubstr("nothing is installed"));
}

TEST_F(AgentInstallReader, a_second_install_starts_from_the_files_as_they_were) {
  hub_.answers = {TreeOf(kNew), TreeOf({{"triton_3_4_0/E=4.json", "{}"}}), TreeOf(kNew)};
  EXPECT_EQ(Run(), kGood);
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(Read("E=1.json"), R"({"1": {"w": 1}})");
  EXPECT_EQ(Read("triton_3_4_0/E=4.json"), "{}");
  EXPECT_FALSE(fs::exists(folder_ / "vllm/configs/triton_3_4_0/E=3.json"));
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(Undo(), kGood);
  EXPECT_EQ(Files(), before_);
}

// The agent must put the hub's flat files where an engine with a nested AITER tree looks for them.
class AgentInstallAiter : public testing::Test {
 protected:
  int Install(const std::map<std::string, std::string>& files) {
    console_.Clear();
    options_.folder = folder_.path();
    options_.reader = "aiter";
    options_.tree = folder_.Write(
        "tree.tar.gz", TreeArchive(files, {{"reader", "aiter"}, {"family", "triton_gemm"}}));
    return InstallReader(reader_, options_, nullptr, pauses_.pauses, console_.console);
  }
  void Put(const std::string& name) { folder_.Write(kConfigs + name, kOwn); }
  std::string Read(const std::string& name) const { return ReadText(folder_ / (kConfigs + name)); }

  const std::string kConfigs = "aiter/ops/triton/configs/", kOwn = R"({"any": {"w": 1}})",
                    kHub = R"({"any": {"w": 2}})";
  TempFolder folder_;
  RecordedPauses pauses_;
  RecordingConsole console_;
  InstallOptions options_;
  const Configuration configuration_ = RealConfiguration();
  const core::Reader& reader_ = *configuration_.readers.Find("aiter");
};

TEST_F(AgentInstallAiter, flat_files_are_nested_where_the_folder_has_no_others) {
  Put("gfx950/triton/gemm/gemm_a8w8/DEFAULT.json");
  EXPECT_EQ(Install({{"gemm/gfx950-GEMM-A8W8.json", kHub},
                     {"gemm/gfx950-GEMM-A8W8-N=1-K=2.json", kHub},
                     {"gemm/gluon/gfx950-GEMM-A16W16.json", kHub}}),
            kGood)
      << console_.err.str();
  EXPECT_THAT(console_.out.str(), HasSubstr("3 files moved from the flat to the nested layout"));
  EXPECT_EQ(Read("gfx950/triton/gemm/gemm_a8w8/DEFAULT.json"), kHub);
  EXPECT_EQ(Read("gfx950/triton/gemm/gemm_a8w8/GEMM-A8W8-N=1-K=2.json"), kHub);
  EXPECT_EQ(Read("gfx950/gluon/gemm/gemm_a16w16/DEFAULT.json"), kHub);
  EXPECT_FALSE(fs::exists(folder_ / (kConfigs + "gemm")));
}

TEST_F(AgentInstallAiter, a_flat_file_that_no_nested_one_can_stand_for_is_refused) {
  Put("gfx950/triton/gemm/gemm_a8w8/DEFAULT.json");
  EXPECT_EQ(Install({{"gemm/gfx950-GEMM-A8W8.json", kHub},
                     {"gfx950/triton/gemm/gemm_a8w8/DEFAULT.json", kOwn}}),
            kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("gemm/gfx950-GEMM-A8W8.json: the engine's folder has"));
  EXPECT_EQ(Install({{"gemm/gfx950-GEMM-A16W16-N=1-K=2.json", kHub}}), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("would have no DEFAULT.json beside it"));
  EXPECT_EQ(Read("gfx950/triton/gemm/gemm_a8w8/DEFAULT.json"), kOwn);
}

TEST_F(AgentInstallAiter, a_tree_of_both_layouts_is_left_in_them) {
  Put("gfx950/triton/gemm/gemm_a8w8/DEFAULT.json");
  Put("gemm/gfx942-GEMM-A8W8.json");
  EXPECT_EQ(Install({{"gemm/gfx950-GEMM-A16W16.json", kHub}}), kGood) << console_.err.str();
  EXPECT_EQ(Read("gemm/gfx950-GEMM-A16W16.json"), kHub);
}

TEST_F(AgentInstallReader, nothing_to_change_leaves_nothing_behind) {
  hub_.answers = {TreeOf({{"E=9.json", "{}"}})};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(Files(), before_);
}

TEST_F(AgentInstallReader, a_member_that_the_hub_lacks_is_a_loss) {
  hub_.answers = {TreeOf({{"E=1.json", R"({"2": {"w": 1}})"}}),
                  TreeOf({{"E=1.json", R"({"2": {"w": 1}})"}})};
  EXPECT_EQ(Run(), kFinding);
  EXPECT_THAT(console_.err.str(), HasSubstr("E=1.json: 1\n"));
  EXPECT_EQ(Files(), before_);
  options_.force = true;
  EXPECT_EQ(Run(), kGood);
  EXPECT_EQ(Undo(), kGood);
  EXPECT_EQ(Files(), before_);
}

TEST_F(AgentInstallReader, a_file_changed_since_is_reported_and_left) {
  hub_.answers = {TreeOf(kNew)};
  EXPECT_EQ(Run(), kGood);
  Put("E=2.json", "mine");
  EXPECT_EQ(Undo(), kFinding);
  EXPECT_THAT(console_.err.str(), HasSubstr("E=2.json was changed after the install"));
  EXPECT_EQ(Read("E=2.json"), "mine");
}

TEST_F(AgentInstallReader, a_file_that_came_into_a_new_folder_stays) {
  hub_.answers = {TreeOf(kNew)};
  EXPECT_EQ(Run(), kGood);
  Put("triton_3_4_0/mine.json", "mine");
  EXPECT_EQ(Undo(), kGood);
  EXPECT_EQ(Read("triton_3_4_0/mine.json"), "mine");
}

// After a crash at any step of the install or undo, the next command undoes or continues it.
TEST_F(AgentInstallReader, a_crash_at_any_step_can_be_taken_back) {
  for (int last = 1;; ++last) {
    int steps = 0;
    options_.after_step = [&] {
      if (++steps == last) throw std::runtime_error("killed");
    };
    hub_.answers = {TreeOf(kNew)};
    bool died = false;
    try {
      EXPECT_EQ(Run(), kGood);
      EXPECT_EQ(Undo(), kGood);
    } catch (const std::runtime_error&) {
      died = true;
    }
    options_.after_step = {};
    EXPECT_EQ(Undo(), kGood) << "step " << last << ": " << console_.err.str();
    EXPECT_EQ(Files(), before_) << "step " << last;
    if (!died) break;
    ASSERT_LT(last, 100);
  }
}

TEST_F(AgentInstallReader, takes_a_file_in_place_of_a_hub) {
  options_.tree = folder_.Write("tree.tar.gz", TreeArchive(kNew));
  console_.Clear();
  EXPECT_EQ(InstallReader(reader_, options_, nullptr, pauses_.pauses, console_.console), kGood)
      << console_.err.str();
  EXPECT_EQ(Read("E=2.json"), kNew.at("E=2.json"));
  options_.tree = folder_.Write("none.tar.gz", "none");
  EXPECT_EQ(InstallReader(reader_, options_, nullptr, pauses_.pauses, console_.console), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("none.tar.gz"));
}

TEST_F(AgentInstallReader, a_file_of_another_family_is_refused) {
  options_.tree = folder_.Write("tree.tar.gz", TreeArchive(kNew));
  options_.family = "triton_block_gemm";
  before_ = Files();
  EXPECT_EQ(InstallReader(reader_, options_, nullptr, pauses_.pauses, console_.console), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("--family triton_fused_moe"));
  EXPECT_EQ(Files(), before_);
}

TEST_F(AgentInstallReader, a_folder_that_a_lying_hub_names_is_not_the_engines) {
  fs::create_directories(folder_ / "vllm/utils");
  before_ = Files();
  Answer lie = TreeOf({});
  lie.body = TreeArchive({{"E=2.json", "{}"}}, {{"packages", {"vllm/utils", "../x"}}});
  hub_.answers = {lie};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(Read("E=2.json"), "{}");
  EXPECT_TRUE(fs::is_empty(folder_ / "vllm/utils"));
  EXPECT_EQ(Undo(), kGood);
  EXPECT_EQ(Files(), before_);
}

TEST_F(AgentInstallReader, no_name_of_a_lying_hub_and_no_link_leads_a_file_out_of_the_folder) {
  for (const std::string& name : tunehub::test::HostileFileNames()) {
    hub_.answers = {TreeOf({{name, "{}"}})};
    EXPECT_EQ(Run(), kFailed) << name;
    EXPECT_THAT(console_.err.str(), HasSubstr("bad_archive")) << name;
  }
  fs::create_directory(folder_ / "elsewhere");
  fs::create_directory_symlink(folder_ / "elsewhere", folder_ / "vllm/configs/triton_3_4_0");
  before_ = Files();
  hub_.answers = {TreeOf(kNew)};
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("vllm/configs/triton_3_4_0: is a link"));
  fs::remove_all(folder_ / "vllm/configs/.tunehub-backup");  // the staged files
  EXPECT_EQ(Files(), before_);
  EXPECT_EQ(Read("E=1.json"), before_.at("vllm/configs/E=1.json"));
}

TEST_F(AgentInstallReader, an_install_that_cannot_be_staged_leaves_the_one_before_it) {
  hub_.answers = {TreeOf({{"E=1.json", R"({"1": {"w": 2}})"}}), TreeOf(kNew)};
  ASSERT_EQ(Run(), kGood) << console_.err.str();
  fs::create_directories(folder_ / "elsewhere");
  fs::create_directory_symlink(folder_ / "elsewhere", folder_ / "vllm/configs/triton_3_4_0");
  const auto installed = Files();
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("vllm/configs/triton_3_4_0: is a link"));
  EXPECT_EQ(Files(), installed);
  fs::remove(folder_ / "vllm/configs/triton_3_4_0");
  fs::remove(folder_ / "elsewhere");
  EXPECT_EQ(Undo(), kGood) << console_.err.str();
  EXPECT_EQ(Files(), before_);
}

TEST_F(AgentInstallReader, the_first_folder_that_the_engine_has_is_its_own) {
  fs::rename(folder_ / "vllm/configs", folder_ / "vllm/old");
  hub_.answers = {TreeOf({{"E=2.json", "{}"}})};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_TRUE(fs::exists(folder_ / "vllm/old/E=2.json"));
  options_.folder = folder_ / "vllm";
  hub_.answers = {TreeOf({{"E=2.json", "{}"}})};
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("none of vllm/configs, vllm/old"));
}

}  // namespace
}  // namespace tunehub::agent::test
