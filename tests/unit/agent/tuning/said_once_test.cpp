#include "agent/tuning/said_once.h"

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace tunehub::test {
namespace {

using agent::tuning::IsNews;

TEST(TuningSaidOnce, a_text_is_news_once_and_another_one_again) {
  const TempDir dir;
  const auto folder = dir.path() / "tune";
  EXPECT_TRUE(IsNews(folder, "no-gpu", "no driver"));
  EXPECT_FALSE(IsNews(folder, "no-gpu", "no driver"));
  EXPECT_TRUE(IsNews(folder, "other", "no driver"));
  EXPECT_TRUE(IsNews(folder, "no-gpu", "the driver sees no GPU"));
  EXPECT_FALSE(IsNews(folder, "no-gpu", "the driver sees no GPU"));
}

TEST(TuningSaidOnce, where_nothing_can_be_noted_everything_is_news) {
  EXPECT_TRUE(IsNews("/proc/nowhere", "no-gpu", "no driver"));
  EXPECT_TRUE(IsNews("/proc/nowhere", "no-gpu", "no driver"));
}

}  // namespace
}  // namespace tunehub::test
