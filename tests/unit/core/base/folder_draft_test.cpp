#include "core/base/folder_draft.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <thread>

#include "core/base/file.h"
#include "tests/support/hostile_names.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"
#include "tests/support/temp_dir.h"

namespace tunehub::core {
namespace {

namespace fs = std::filesystem;

class FolderDraftTest : public testing::Test {
 protected:
  void Put(const std::string& text) const {
    auto draft = Must(FolderDraft::Begin(place_));
    ASSERT_TRUE(draft.Write("a/b", text).ok());
    const Status status = draft.PublishKeeping(before_);
    ASSERT_TRUE(status.ok()) << status.error().detail;
  }
  static std::string In(const fs::path& folder) { return test::ReadText(folder / "a/b"); }
  std::size_t Folders() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(dir_.path()), fs::directory_iterator()));
  }

  test::TempDir dir_;
  const fs::path place_ = dir_.path() / "configs", before_ = dir_.path() / ".configs.before";
};

TEST_F(FolderDraftTest, what_was_there_is_kept_until_the_next_time) {
  Put("1");
  EXPECT_EQ(In(place_), "1");
  EXPECT_EQ(Folders(), 1U);
  for (const char next : {'2', '3', '4'}) {
    const std::string now = In(place_);
    Put({next});
    EXPECT_EQ(In(place_), std::string(1, next));
    EXPECT_EQ(In(before_), now);
    EXPECT_EQ(Folders(), 2U);
  }
}

TEST_F(FolderDraftTest, a_kill_at_any_moment_leaves_what_was_there_at_one_of_both) {
  Put("1");
  Put("2");
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const int from = std::stoi(In(place_));
    const pid_t child = ::fork();
    if (child == 0) {
      for (int i = from + 1;; ++i) Put(std::to_string(i));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const int now = std::stoi(In(place_)), before = std::stoi(In(before_));
    EXPECT_TRUE(before == now - 1 || before == now + 1) << before << " before " << now;
  }
  RemoveAbandonedDrafts(place_);
  EXPECT_EQ(Folders(), 2U);
}

TEST_F(FolderDraftTest, drafts_whose_program_was_killed_are_removed_and_no_others) {
  auto alive = Must(FolderDraft::Begin(place_));
  fs::create_directories(dir_.path() / ".configs.0123abcd/a");
  fs::create_directories(dir_.path() / ".configs.mine");
  RemoveAbandonedDrafts(place_);
  EXPECT_FALSE(fs::exists(dir_.path() / ".configs.0123abcd"));
  EXPECT_TRUE(fs::exists(dir_.path() / ".configs.mine"));
  EXPECT_TRUE(fs::exists(alive.draft()));
}

TEST_F(FolderDraftTest, of_two_at_once_none_brings_an_older_one_back) {
  constexpr int kRounds = 100;
  for (int round = 0; round < kRounds; ++round) {
    Put("old");
    std::thread other([&] { Put("a"); });
    Put("b");
    other.join();
    ASSERT_NE(In(place_), "old") << "round " << round;
    ASSERT_NE(In(before_), In(place_));
  }
  EXPECT_EQ(Folders(), 2U);
}

class InnerPathTest : public testing::Test {
 protected:
  InnerPathTest() { fs::create_directories(folder_); }
  std::string Write(const std::string& name) const {
    return ErrorCode(WriteBelow(folder_, name, "new"));
  }

  test::TempDir dir_;
  const fs::path folder_ = dir_.path() / "folder", outside_ = dir_.path() / "outside";
};

TEST_F(InnerPathTest, no_hostile_name_is_written_and_nothing_is_made) {
  ASSERT_GE(test::HostileNames().size(), 40U);
  for (const std::string& name : test::HostileNames()) {
    EXPECT_FALSE(IsInnerPath(name)) << name;
    EXPECT_EQ(Write(name), "bad_name") << name;
  }
  EXPECT_EQ(Write(""), "bad_name");
  EXPECT_EQ(Write(std::string("a\0b", 3)), "bad_name");
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(InnerPathTest, names_as_engines_have_them_are_written_with_the_folders_between) {
  for (const std::string name :
       {"a", "..a", ".tunehub.json", "b/...",
        "configs/triton_3_4_0/E=8,N=64,device_name=AMD_Instinct_MI300X,block_shape=[128, 128].json",
        "N\xC3\xA9/PT=2;X=a:b+c/tunableop_results%d.csv"}) {
    EXPECT_EQ(Write(name), "") << name;
    EXPECT_EQ(test::ReadText(folder_ / name), "new") << name;
  }
}

TEST_F(InnerPathTest, no_link_is_followed_wherever_it_is_planted) {
  fs::create_directories(outside_);
  std::ofstream(outside_ / "secret") << "old";
  fs::create_directory_symlink(outside_, folder_ / "link");
  fs::create_directories(folder_ / "a");
  fs::create_directory_symlink(outside_, folder_ / "a/link");
  for (const char* const name : {"link/secret", "link/new", "a/link/secret", "a/link/b/c"}) {
    EXPECT_EQ(Write(name), "file_unwritable") << name;
  }
  // If the last part of a path is a link, the draft replaces the link and keeps the link's target.
  fs::create_symlink(outside_ / "secret", folder_ / "soft");
  fs::create_symlink(outside_ / "made", folder_ / "dangling");
  fs::create_hard_link(outside_ / "secret", folder_ / "hard");
  for (const char* const name : {"soft", "dangling", "hard", "a/link"}) {
    EXPECT_EQ(Write(name), "") << name;
    EXPECT_EQ(test::ReadText(folder_ / name), "new") << name;
    EXPECT_FALSE(fs::is_symlink(folder_ / name)) << name;
  }
  EXPECT_EQ(test::ReadText(outside_ / "secret"), "old");
  EXPECT_FALSE(fs::exists(outside_ / "made"));
}

TEST_F(InnerPathTest, the_folder_itself_may_be_named_by_a_link) {
  fs::create_directory_symlink(folder_, dir_.path() / "named");
  EXPECT_TRUE(WriteBelow(dir_.path() / "named", "a/b", "new").ok());
  EXPECT_EQ(test::ReadText(folder_ / "a/b"), "new");
}

}  // namespace
}  // namespace tunehub::core
