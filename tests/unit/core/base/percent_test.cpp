#include "core/base/percent.h"

#include <gtest/gtest.h>

namespace tunehub::core {
namespace {

TEST(PercentEncoded, keeps_what_is_unreserved_and_nothing_else) {
  EXPECT_EQ(PercentEncoded("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(PercentEncoded("a b+c&d=/%"), "a%20b%2Bc%26d%3D%2F%25");
  EXPECT_EQ(PercentEncoded("\xC3\xA9"), "%C3%A9");
}

TEST(PercentDecoded, gives_back_what_was_encoded_and_nothing_for_half_an_escape) {
  EXPECT_EQ(PercentDecoded("a%20b%2Bc%26d%3D%2f%25+"), "a b+c&d=/%+");
  EXPECT_EQ(PercentDecoded("gfx942"), "gfx942");
  for (const char* text : {"%", "%2", "a%zz", "%2g"}) EXPECT_FALSE(PercentDecoded(text)) << text;
}

}  // namespace
}  // namespace tunehub::core
