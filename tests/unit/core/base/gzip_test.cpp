#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/base/archive.h"

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

// What `gzip` holds, given and taken in pieces of these sizes; "[code]" where it cannot be read.
std::string Unpacked(std::string_view gzip, std::size_t in, std::size_t out) {
  GunzipStream stream;
  std::string text, room(out, '\0');
  while (!gzip.empty()) {
    std::string_view piece = gzip.substr(0, in);
    gzip.remove_prefix(piece.size());
    for (;;) {
      const auto made = stream.Unpack(piece, room);
      if (!made.ok()) return text + "[" + made.error().code + "]";
      text.append(room, 0, *made);
      if (*made == 0) break;
    }
  }
  const Status end = stream.AtEnd();
  return end.ok() ? text : text + "[" + end.error().code + "]";
}

std::string Text() {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "line " + std::to_string(i * 7919 % 10'007) + "\n";
  return text;
}

TEST(GunzipStream, gives_the_text_back_whatever_the_pieces) {
  const std::string text = Text(), gzip = Gzip(text);
  for (const std::size_t in : {1, 2, 7, 4096, 1 << 20}) {
    for (const std::size_t out : {1, 300, 65'536}) EXPECT_EQ(Unpacked(gzip, in, out), text) << in;
  }
  EXPECT_EQ(Unpacked(Gzip(""), 3, 10), "");
}

TEST(GunzipStream, reads_every_member_and_every_part_of_a_header) {
  std::string named = Gzip("second\n");
  named[3] = 4 | 8 | 16;  // an extra field, a name, a comment
  named.insert(10, std::string("\x03\x00", 2) + "abcvllm.log" + '\0' + "a comment" + '\0');
  for (const std::size_t in : {1, 5, 1000}) {
    EXPECT_EQ(Unpacked(Gzip("first\n") + named + Gzip(""), in, 64), "first\nsecond\n") << in;
  }
}

TEST(GunzipStream, says_what_is_damaged_cut_off_or_no_gzip_at_all) {
  const std::string gzip = Gzip(Text());
  const auto tail = [&](const std::string& bytes) {
    const std::string text = Unpacked(bytes, 1000, 1000);
    return text.substr(std::min(text.find('['), text.size()));
  };
  EXPECT_EQ(tail(gzip), "");
  EXPECT_EQ(tail(gzip.substr(0, gzip.size() - 1)), "[bad_gzip]");
  EXPECT_EQ(tail(gzip.substr(0, 5)), "[bad_gzip]");
  std::string damaged = gzip;
  damaged[gzip.size() / 2] ^= 0x10;
  EXPECT_EQ(tail(damaged), "[bad_gzip]");
  damaged = gzip;
  damaged[gzip.size() - 6] ^= 1;  // of the checksum
  EXPECT_EQ(tail(damaged), "[bad_gzip]");
  EXPECT_EQ(tail(gzip + "no member"), "[bad_gzip]");
  EXPECT_EQ(Unpacked("plain text, long enough", 9, 9), "[bad_gzip]");
}

}  // namespace
}  // namespace tunehub::core
