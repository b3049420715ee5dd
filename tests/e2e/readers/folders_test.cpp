// The agent puts a reader's files where its engine looks: into the folder of its variable, and into
// its package, from which they go byte for byte. A kill at any moment leaves the old or the new.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/program.h"
#include "tests/support/readers.h"
#include "tests/support/shipped.h"

namespace tunehub::test {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

class ReaderFoldersTest : public HubTest {
 protected:
  static Finished Agent(std::vector<std::string> arguments) {
    return RunToEnd({AgentBinary(), std::move(arguments), Environment()});
  }
  static std::map<std::string, std::string> Environment() {
    return {{"TUNEHUB_HUB", server_->url()}, {"TUNEHUB_KEY", submit_key_}};
  }
  // Every file below the folder, the pull's own state left out.
  static Files FilesOf(const fs::path& folder) {
    Files files = FilesBelow(folder);
    files.erase(".tunehub.json");
    return files;
  }
  // Rows of so many files, each with one config.
  static void Post(const std::string& device, int files, int config) {
    std::string csv = "engine,device,triton,E,N,dtype,block_n,block_k,M,config,us\n";
    for (int i = 1; i <= files; ++i) {
      csv += "vllm," + device + ",,8," + std::to_string(i) +
             ",fp8_w8a8,0,0,1,\"{\"\"W\"\":" + std::to_string(config) + "}\",\n";
    }
    ASSERT_EQ(Verdict(Submitter().Post("/results/triton_fused_moe", csv)), "200");
  }
};

TEST_F(ReaderFoldersTest, a_pull_that_is_killed_leaves_the_old_files_or_the_new_ones) {
  const std::string folder = dir_ / "configs";
  const std::vector<std::string> pull = {"pull",     "--reader", "vllm", "--device",
                                         "Toy_Kill", "-o",       folder};
  Post("Toy_Kill", 200, 0);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(Agent(pull).status, 0);
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - begin);
  Files old_files = FilesOf(folder);
  ASSERT_EQ(old_files.size(), 200U);
  std::mt19937 random(17);
  constexpr int kRounds = 25;
  int killed = 0, changed = 0;
  for (int round = 1; round <= kRounds; ++round) {
    Post("Toy_Kill", 200, round);
    std::string other = old_files.begin()->second;
    {
      Program program({AgentBinary(), pull, Environment()}, dir_.path() / "out",
                      dir_.path() / "err");
      // Up to a quarter more than the first one took, which the system may have begun slowly.
      const auto limit = std::chrono::milliseconds(random() % (took.count() * 5 / 4 + 1));
      if (!program.Wait(limit)) {
        program.Signal(SIGKILL);
        program.Wait(std::chrono::seconds(10));
        ++killed;
      }
    }
    const Files now = FilesOf(folder);
    ASSERT_EQ(now.size(), 200U) << "round " << round;
    for (const auto& [name, bytes] : now) ASSERT_EQ(bytes, now.begin()->second) << "a mixture";
    if (now.begin()->second != other) {
      ++changed;
      const Files before = FilesOf(dir_.path() / ".configs.before");
      ASSERT_EQ(before, old_files) << "what was there stands as before";
    }
    old_files = now;
  }
  EXPECT_GT(killed, 0) << "each was done in time";
  EXPECT_GT(changed, 0) << "each was killed too early";
  std::printf("%d of %d pulls were killed, %d changed the folder\n", killed, kRounds, changed);
  ASSERT_EQ(Agent(pull).status, 0);
  EXPECT_THAT(FilesOf(folder).begin()->second, HasSubstr(std::to_string(kRounds)));
  const auto folders = [&] {
    return std::ranges::count_if(fs::directory_iterator(dir_.path()),
                                 [](const auto& entry) { return entry.is_directory(); });
  };
  EXPECT_EQ(folders(), 2) << "the folder and the one before";
  // One that was killed behind its change leaves a draft, and nothing changes for the next.
  fs::create_directory(dir_.path() / ".configs.0123abcd");
  ASSERT_EQ(Agent(pull).status, 0);
  EXPECT_EQ(folders(), 2) << "no draft of one that was killed";
}

TEST_F(ReaderFoldersTest, files_are_installed_into_a_package_and_taken_back) {
  const auto entries = RealFiles("vllm");
  if (entries.empty()) {
    GTEST_SKIP() << "NOT TESTED: no files in " << RealTree("vllm") << " (set TUNEHUB_DATA)";
  }
  const Finished imported = Agent({"import", RealTree("vllm").string(), "--reader", "vllm"});
  ASSERT_LE(imported.status, 1) << imported.err;
  const fs::path package = dir_.path() / "vllm/model_executor/layers/quantization/utils/configs";
  fs::create_directories(package);
  fs::copy(RealTree("vllm") / "block_scaled_gemm", package, fs::copy_options::recursive);
  // One is missing, one is somebody's older state.
  auto before = FilesOf(package);
  const auto served = before;
  fs::remove(package / before.begin()->first);
  std::ofstream(package / before.rbegin()->first) << "{}";
  before = FilesOf(package);
  const Finished done = Agent({"install", "--reader", "vllm", dir_.path().string(), "--json"});
  ASSERT_EQ(done.status, 0) << done.err;
  const auto report = nlohmann::json::parse(done.out);
  EXPECT_EQ(report.at("added"), 1) << report;
  for (const auto& [name, bytes] : FilesOf(package)) {
    if (!name.ends_with(".json") || name.starts_with(".tunehub-backup")) continue;
    ASSERT_EQ(nlohmann::ordered_json::parse(bytes), nlohmann::ordered_json::parse(served.at(name)))
        << name;
  }
  const Finished undone = Agent({"install", "--reader", "vllm", dir_.path().string(), "--undo"});
  ASSERT_EQ(undone.status, 0) << undone.err;
  EXPECT_EQ(FilesOf(package), before);
}

TEST_F(ReaderFoldersTest, sglangs_folder_is_whole) {
  if (RealFiles("sglang").empty()) {
    GTEST_SKIP() << "NOT TESTED: no files in " << RealTree("sglang") << " (set TUNEHUB_DATA)";
  }
  const Finished imported =
      Agent({"import", RealTree("sglang").string(), "--reader", "sglang", "--json"});
  ASSERT_LE(imported.status, 1) << imported.err;
  std::set<std::string> aside;  // which no lookup can find
  const auto receipt = nlohmann::json::parse(imported.out);
  for (const auto& it : receipt.at("findings")) {
    if (it.at("aside")) aside.insert(it.at("file"));
  }
  const fs::path folder = dir_.path() / "moe";
  const Finished done = Agent({"pull", "--reader", "sglang", "-o", folder.string()});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("export SGLANG_MOE_CONFIG_DIR=" + folder.string()));
  std::size_t same = 0, all = 0;
  for (const auto& [name, bytes] : FilesOf(RealTree("sglang") / "fused_moe")) {
    if (!name.ends_with(".json")) continue;
    ++all;
    std::ifstream in(folder / "configs" / name, std::ios::binary);
    const std::string pulled{std::istreambuf_iterator<char>(in), {}};
    if (pulled.empty()) {
      EXPECT_TRUE(aside.contains("fused_moe/" + name)) << name;
      continue;
    }
    EXPECT_EQ(nlohmann::ordered_json::parse(pulled), nlohmann::ordered_json::parse(bytes)) << name;
    same += pulled == bytes ? 1 : 0;
  }
  std::printf("sglang: %zu of %zu files of the folder are upstream's bytes\n", same, all);
  EXPECT_GT(same, all / 2);
}

}  // namespace
}  // namespace tunehub::test
