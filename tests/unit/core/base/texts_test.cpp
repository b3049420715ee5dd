// Many short texts in few blocks.
#include "core/base/texts.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace tunehub::core {
namespace {

TEST(Texts, stay_where_they_are_however_many_come_and_wherever_all_go) {
  Texts texts;
  std::vector<std::string> given;
  std::vector<std::string_view> kept;
  for (int i = 0; i < 20'000; ++i) {
    given.push_back(std::string(static_cast<std::size_t>(i % 40), 'x') + std::to_string(i));
    kept.push_back(texts.Add(given.back()));
  }
  given.emplace_back(200'000, 'y');  // larger than a block
  kept.push_back(texts.Add(given.back()));
  kept.push_back(texts.Add("after"));
  given.emplace_back("after");
  const Texts moved = std::move(texts);
  for (std::size_t i = 0; i < given.size(); ++i) ASSERT_EQ(kept[i], given[i]) << i;
  EXPECT_LT(moved.bytes(), 1'500'000u);
}

TEST(Texts, of_equal_ones_there_is_one) {
  Texts texts;
  const std::string_view first = texts.Once("gfx942");
  EXPECT_EQ(texts.Once("gfx950"), "gfx950");
  EXPECT_EQ(texts.Once(std::string("gfx942")).data(), first.data());
  EXPECT_EQ(texts.Once(""), "");
}

}  // namespace
}  // namespace tunehub::core
