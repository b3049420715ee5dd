#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "core/base/archive.h"
#include "tests/support/result.h"

namespace tunehub::core {
namespace {

std::string TarCode(std::string_view archive, const TarLimits& limits) {
  return ErrorCode(ReadTar(archive, limits));
}

TEST(Archives, come_back_sorted_by_name_plain_or_compressed) {
  const std::string gzip =
      WriteTarGz({{"b/two.csv", "2"}, {"a/one.csv", std::string(20'000, '1')}, {"c", ""}});
  for (const std::string& archive : {gzip, *Gunzip(gzip, 1 << 20)}) {
    const auto files = Must(ReadTar(archive, {.bytes = 1 << 20, .files = 10}));
    ASSERT_EQ(files.size(), 3u);
    EXPECT_EQ(files[0].name, "a/one.csv");
    EXPECT_EQ(files[0].bytes, std::string(20'000, '1'));
    EXPECT_EQ(files[1].bytes, "2");
  }
  EXPECT_EQ(WriteTarGz({{"a", "1"}}), WriteTarGz({{"a", "1"}}));
}

TEST(Archives, are_held_to_their_limits) {
  const std::string archive =
      WriteTarGz({{"a", std::string(600, 'x')}, {"b", std::string(600, 'x')}});
  EXPECT_EQ(TarCode(archive, {.bytes = 1'200, .files = 2}), "");
  EXPECT_EQ(TarCode(archive, {.bytes = 1'199, .files = 2}), "too_large");
  EXPECT_EQ(TarCode(archive, {.bytes = 1'200, .files = 1}), "too_large");
}

// Names of tuned files are long: "E=129,N=352,device_name=NVIDIA_RTX_PRO_6000_Blackwell_Max-Q_...".
TEST(Archives, hold_names_of_any_length) {
  for (const std::size_t length : {99u, 100u, 101u, 156u, 300u, 900u}) {
    std::vector<TarFile> files;
    for (int i = 0; i < 100; ++i) {
      files.push_back({"configs/" + std::string(length, 'n') + std::to_string(1000 + i), "{}"});
    }
    const std::string archive = WriteTarGz(files);
    EXPECT_EQ(archive, WriteTarGz(files));
    const auto back = ReadTar(archive, {.bytes = 1 << 20, .files = 100});
    ASSERT_TRUE(back.ok()) << length;
    ASSERT_EQ(back->size(), files.size());
    EXPECT_EQ(back->back().name, files.back().name);
  }
}

// The ustar header of a folder.
std::string FolderHeader(const std::string& name) {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  header.replace(100, 7, "0000755");
  header.replace(124, 11, "00000000000");
  header.replace(136, 11, "00000000000");
  header.replace(148, 8, "        ");
  header[156] = '5';
  header.replace(257, 8, std::string("ustar\00000", 8));
  unsigned sum = 0;
  for (char c : header) sum += static_cast<unsigned char>(c);
  char text[8];
  std::snprintf(text, sizeof text, "%06o", sum);
  header.replace(148, 7, std::string(text, 7));
  return header;
}

TEST(Archives, of_a_name_that_no_header_holds_are_not_written) {
  const std::string bytes(100'000, 'x');
  EXPECT_THROW(WriteTarGz({{"a", bytes}, {"\xFF", bytes}}), std::runtime_error);
}

TEST(Archives, of_countless_empty_folders_are_refused) {
  std::string tar;
  for (int i = 0; i < 50; ++i) tar += FolderHeader("folder" + std::to_string(i) + "/");
  tar += std::string(1'024, '\0');
  EXPECT_EQ(TarCode(tar, {.bytes = 1'000, .files = 60}), "");
  EXPECT_EQ(TarCode(tar, {.bytes = 1'000, .files = 40}), "too_large");
}

TEST(Archives, that_are_none_are_refused) {
  const std::string archive = WriteTarGz({{"a", std::string(600, 'x')}});
  for (const std::string& bad : {std::string("gfx,cu_num\n"), archive.substr(0, archive.size() / 2),
                                 Gunzip(archive, 1 << 20)->substr(0, 900)}) {
    EXPECT_EQ(TarCode(bad, {.bytes = 1 << 20, .files = 10}), "bad_archive") << bad.size();
  }
}

// Packing must keep the order of many files with one name.
TEST(Archives, with_files_of_one_name_keep_their_order) {
  std::vector<TarFile> files;
  for (int i = 0; i < 40; ++i) files.push_back({i % 2 == 0 ? "a.csv" : "b.csv", std::to_string(i)});
  const auto read = Must(ReadTar(WriteTarGz(files), {1 << 20, 100}));
  ASSERT_EQ(read.size(), files.size());
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(read[static_cast<std::size_t>(i)].bytes, std::to_string(2 * i));
    EXPECT_EQ(read[static_cast<std::size_t>(20 + i)].bytes, std::to_string(2 * i + 1));
  }
}

TEST(Gunzip, gives_the_text_of_every_member_back) {
  for (const std::string& text : {std::string(), std::string("a"), std::string(100'000, 'x')}) {
    EXPECT_EQ(*Gunzip(Gzip(text), 200'000), text);
  }
  EXPECT_EQ(*Gunzip(Gzip("first\n") + Gzip(std::string(50'000, 'x')) + Gzip("last\n"), 100'000),
            "first\n" + std::string(50'000, 'x') + "last\n");
}

TEST(Gunzip, stops_a_bomb_at_the_limit_and_refuses_what_is_no_gzip_stream) {
  const std::string bomb = Gzip(std::string(50'000'000, '\0'));
  EXPECT_LT(bomb.size(), 100'000u);
  EXPECT_EQ(ErrorCode(Gunzip(bomb, 1'000'000)), "too_large");
  EXPECT_EQ(ErrorCode(Gunzip(Gzip(std::string(600, 'a')) + Gzip(std::string(600, 'a')), 1'000)),
            "too_large");
  EXPECT_EQ(ErrorCode(Gunzip(Gzip(std::string(1'000, 'a')), 1'000)), "")
      << "the limit itself is allowed";
  const std::string gzip = Gzip("some text");
  std::string damaged = gzip;
  damaged[gzip.size() - 6] = static_cast<char>(damaged[gzip.size() - 6] ^ 1);  // in the checksum
  for (const std::string& bad : {std::string(), std::string("gfx,cu_num\n"),
                                 gzip.substr(0, gzip.size() - 1), damaged, gzip + "rest"}) {
    EXPECT_EQ(ErrorCode(Gunzip(bad, 1'000)), "bad_gzip") << bad.size();
  }
}

// Unpacks `gzip` in input pieces of `in` bytes and output pieces of `out` bytes. Appends "[code]"
// on an error.
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

TEST(GunzipStream, gives_the_text_of_every_member_back_whatever_the_pieces) {
  const std::string text = Text(), gzip = Gzip(text);
  for (const std::size_t in : {1, 2, 7, 4096, 1 << 20}) {
    for (const std::size_t out : {1, 300, 65'536}) EXPECT_EQ(Unpacked(gzip, in, out), text) << in;
  }
  EXPECT_EQ(Unpacked(Gzip(""), 3, 10), "");
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
