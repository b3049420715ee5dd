#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/base/atomic_file.h"
#include "tests/support/hostile_names.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"
#include "tests/support/temp_dir.h"

namespace tunehub::core {
namespace {

namespace fs = std::filesystem;

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
  // The last part: the link goes, and what it leads to stays.
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
