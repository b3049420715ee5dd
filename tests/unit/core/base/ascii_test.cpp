#include "core/base/ascii.h"

#include <gtest/gtest.h>

namespace tunehub::core {
namespace {

TEST(Ascii, control_characters_are_found_anywhere) {
  for (const char control : {'\0', '\n', '\x1F', '\x7F'}) {
    for (std::size_t at = 0; at < 20; ++at) {
      std::string text = "twenty plain letters";
      EXPECT_FALSE(HoldsControl(text));
      text[at] = control;
      EXPECT_TRUE(HoldsControl(text)) << at;
    }
  }
  EXPECT_FALSE(HoldsControl("")) << "nothing";
  EXPECT_FALSE(HoldsControl("\xC3\xA9 and \xE2\x82\xAC, \xFF ~ !")) << "bytes beyond ASCII";
}

TEST(Ascii, letters_have_two_cases_and_other_bytes_one) {
  EXPECT_EQ(Lower("AZ az 09 @[`{ \xC3\x89"), "az az 09 @[`{ \xC3\x89");
  EXPECT_TRUE(IsSameButForCase("Cu_Num", "cu_num"));
  EXPECT_FALSE(IsSameButForCase("M", "MN"));
}

}  // namespace
}  // namespace tunehub::core
