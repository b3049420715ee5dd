#include "core/base/folder_draft.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <random>
#include <string>
#include <thread>

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

}  // namespace
}  // namespace tunehub::core
