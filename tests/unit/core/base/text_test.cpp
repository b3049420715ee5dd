#include "core/base/text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "core/base/byte_words.h"
#include "core/base/encoding.h"

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

TEST(PlainText, leaves_text_as_it_is) {
  for (const std::string text :
       {"", "a b~", "Grüße, \xE2\x80\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", "\xC2\xA0"}) {
    EXPECT_EQ(PlainText(text), text);
  }
  EXPECT_EQ(PlainText("a\n\tb", "\n\t"), "a\n\tb");
}

TEST(PlainText, shows_what_a_terminal_would_obey) {
  const std::string mark = "\xEF\xBF\xBD";
  for (const std::string text :
       {"\n", "\x1B", "\x7F", "\xC2\x9B", "\xE2\x80\xAE", "\xE2\x81\xA6", "\xFF", "\x9B",
        "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80"}) {
    EXPECT_EQ(PlainText("a" + text + "b"), "a" + mark + "b");
    EXPECT_EQ(PlainText(text), mark);
  }
  EXPECT_EQ(PlainText("a\xE2\x82"), "a" + mark);
  EXPECT_EQ(PlainText(std::string(1, '\0')), mark);
}

// Many short texts in few blocks.
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
