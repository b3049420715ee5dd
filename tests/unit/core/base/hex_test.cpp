#include "core/base/hex.h"

#include <gtest/gtest.h>

namespace tunehub::core {
namespace {

TEST(Hex, is_two_digits_a_byte_and_back) {
  const std::string bytes("\0\x0F\xF0\xFFz", 5);
  EXPECT_EQ(Hex(bytes), "000ff0ff7a");
  EXPECT_EQ(FromHex("000ff0ff7a"), bytes);
  EXPECT_EQ(FromHex(""), "");
}

TEST(Hex, is_nothing_else) {
  for (const char* text : {"0", "0g", "0F", "00 ", "0x"}) {
    EXPECT_EQ(FromHex(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace tunehub::core
