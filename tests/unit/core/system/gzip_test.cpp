#include "core/system/gzip.h"

#include <gtest/gtest.h>

namespace tunehub::core {
namespace {

std::string CodeOf(const Result<std::string>& result) {
  return result.ok() ? "" : result.error().code;
}

TEST(Gunzip, gives_the_text_back) {
  for (const std::string& text : {std::string(), std::string("a"), std::string(100'000, 'x')}) {
    EXPECT_EQ(*Gunzip(Gzip(text), 200'000), text);
  }
}

TEST(Gunzip, reads_every_member_of_a_stream) {
  EXPECT_EQ(*Gunzip(Gzip("first\n") + Gzip(std::string(50'000, 'x')) + Gzip("last\n"), 100'000),
            "first\n" + std::string(50'000, 'x') + "last\n");
}

TEST(Gunzip, stops_a_bomb_at_the_limit) {
  const std::string bomb = Gzip(std::string(50'000'000, '\0'));
  EXPECT_LT(bomb.size(), 100'000u);
  EXPECT_EQ(CodeOf(Gunzip(bomb, 1'000'000)), "too_large");
  EXPECT_EQ(CodeOf(Gunzip(Gzip(std::string(600, 'a')) + Gzip(std::string(600, 'a')), 1'000)),
            "too_large");
  EXPECT_EQ(CodeOf(Gunzip(Gzip(std::string(1'000, 'a')), 1'000)), "")
      << "the limit itself is allowed";
}

TEST(Gunzip, refuses_what_is_no_gzip_stream) {
  const std::string gzip = Gzip("some text");
  std::string damaged = gzip;
  damaged[gzip.size() - 6] = static_cast<char>(damaged[gzip.size() - 6] ^ 1);  // in the checksum
  for (const std::string& bad : {std::string(), std::string("gfx,cu_num\n"),
                                 gzip.substr(0, gzip.size() - 1), damaged, gzip + "rest"}) {
    EXPECT_EQ(CodeOf(Gunzip(bad, 1'000)), "bad_gzip") << bad.size();
  }
}

}  // namespace
}  // namespace tunehub::core
