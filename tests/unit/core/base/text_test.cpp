#include "core/base/text.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/byte_words.h"
#include "core/base/encoding.h"
#include "core/base/hash.h"
#include "core/base/pin.h"
#include "core/base/rfc3339.h"

namespace tunehub::core {
namespace {

TEST(Ascii, control_characters_are_found_anywhere_and_letters_alone_have_two_cases) {
  for (const char control : {'\0', '\n', '\x1F', '\x7F'}) {
    for (std::size_t at = 0; at < 20; ++at) {
      std::string text = "twenty plain letters";
      EXPECT_FALSE(HoldsControl(text));
      text[at] = control;
      EXPECT_TRUE(HoldsControl(text)) << at;
    }
  }
  EXPECT_FALSE(HoldsControl("")) << "the empty text";
  EXPECT_FALSE(HoldsControl("\xC3\xA9 and \xE2\x82\xAC, \xFF ~ !")) << "bytes beyond ASCII";
  EXPECT_EQ(Lower("AZ az 09 @[`{ \xC3\x89"), "az az 09 @[`{ \xC3\x89");
  EXPECT_TRUE(IsSameButForCase("Cu_Num", "cu_num"));
  EXPECT_FALSE(IsSameButForCase("M", "MN"));
}

TEST(Hex, is_two_digits_a_byte_and_nothing_else) {
  const std::string bytes("\0\x0F\xF0\xFFz", 5);
  EXPECT_EQ(Hex(bytes), "000ff0ff7a");
  EXPECT_EQ(FromHex("000ff0ff7a"), bytes);
  EXPECT_EQ(FromHex(""), "");
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

TEST(PlainText, leaves_text_as_it_is_and_shows_what_a_terminal_would_obey) {
  for (const std::string text :
       {"", "a b~", "Grüße, \xE2\x80\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", "\xC2\xA0"}) {
    EXPECT_EQ(PlainText(text), text);
  }
  EXPECT_EQ(PlainText("a\n\tb", "\n\t"), "a\n\tb");
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

// Texts stores many short texts in few blocks.
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

const std::string kToken = "0f3a5c2e9b7d4186a1c0e8f2d4b69753";

TEST(Pins, are_read_as_they_are_written) {
  for (const Pin& pin : {Pin{0, kToken}, Pin{81, kToken}, Pin{81, ""}, Pin{INT64_MAX, kToken}}) {
    EXPECT_EQ(ParsePin(pin.Text()), pin) << pin.Text();
  }
  EXPECT_EQ((Pin{81, kToken}).Text(), "81-" + kToken);
  EXPECT_EQ((Pin{81, ""}).Text(), "81");
}

TEST(Pins, are_nothing_else) {
  for (const std::string text :
       {"", "-", "-0", "-1", "+1", " 1", "1 ", "1x", "1-", "1-0f3a", "99999999999999999999"}) {
    EXPECT_EQ(ParsePin(text), std::nullopt) << text;
  }
  EXPECT_EQ(ParsePin("-" + kToken), std::nullopt);
  EXPECT_EQ(ParsePin("-1-" + kToken), std::nullopt);
  EXPECT_EQ(ParsePin("-0-" + kToken), std::nullopt);
  EXPECT_EQ(ParsePin("1-" + kToken + "0"), std::nullopt);
  EXPECT_EQ(ParsePin("1-" + kToken.substr(1)), std::nullopt);
  EXPECT_EQ(ParsePin("1-0F" + kToken.substr(2)), std::nullopt) << "one pin has one text";
  EXPECT_EQ(ParsePin("1-" + kToken.substr(1) + "g"), std::nullopt);
}

TEST(Rfc3339, is_a_time_with_its_offset_that_postgresql_takes) {
  for (const char* good : {"2026-01-31T12:00:00Z", "2026-01-31t12:00:00.25+02:00",
                           "2024-02-29T23:59:60Z", "2026-12-31T00:00:00-11:30"}) {
    EXPECT_TRUE(IsRfc3339(good)) << good;
  }
  for (const char* bad :
       {"", "2026-01-31", "2026-01-31T12:00:00", "2026-01-31 12:00:00Z", "2026-02-30T12:00:00Z",
        "2026-13-01T12:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T12:60:00Z", "now",
        "2026-01-31T12:00:00.Z", "2026-01-31T12:00:00+0200", "2026-01-31T12:00:00Zulu",
        "0000-01-01T00:00:00Z", "2026-01-31T12:00:00+23:00"}) {
    EXPECT_FALSE(IsRfc3339(bad)) << bad;
  }
  EXPECT_FALSE(IsRfc3339("2026-01-31T12:00:00." + std::string(100, '1') + "Z"));
}

TEST(Rfc3339, is_one_moment_however_it_is_written_within_the_years_of_four_digits) {
  EXPECT_EQ(Rfc3339Microseconds("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(Rfc3339Microseconds("2026-01-31T13:00:00.25+01:00"), 1769860800250000);
  EXPECT_EQ(Rfc3339Microseconds("2026-01-31T00:30:00.2500009-11:30"), 1769860800250000);
  EXPECT_EQ(Rfc3339Microseconds("1969-12-31T23:59:59.9Z"), -100000);
  EXPECT_EQ(Rfc3339Microseconds("9999-12-31T23:59:59.9Z"), 253402300799900000);
  EXPECT_EQ(Rfc3339Microseconds("0001-01-01T00:00:00Z"), -62135596800000000);
  EXPECT_TRUE(IsRfc3339("9999-12-31T23:59:60+00:01"));
  for (const char* beyond :
       {"9999-12-31T23:59:60Z", "9999-12-31T23:59:59-00:01", "0001-01-01T00:00:59+00:01"}) {
    EXPECT_FALSE(IsRfc3339(beyond)) << beyond;
  }
  const std::chrono::system_clock::time_point moment(std::chrono::microseconds(1769860800000250));
  EXPECT_EQ(UtcText(moment), "2026-01-31T12:00:00.000250Z");
  EXPECT_EQ(Rfc3339Microseconds(UtcText(moment)), 1769860800000250);
}

constexpr char kOfNothing[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr char kOfAbc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr char kOfTwoBlocks[] = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";

TEST(Sha256, gives_the_digests_of_fips180_as_bytes_and_hex) {
  EXPECT_EQ(Sha256Hex(""), kOfNothing);
  EXPECT_EQ(Sha256Hex("abc"), kOfAbc);
  EXPECT_EQ(Sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), kOfTwoBlocks);
  const auto bytes = Sha256("abc");
  EXPECT_EQ(bytes.front(), 0xBA);
  EXPECT_EQ(bytes.back(), 0xAD);
}

TEST(Sha256, threads_do_not_share_state) {
  const std::vector<std::pair<const char*, const char*>> inputs = {{"", kOfNothing},
                                                                   {"abc", kOfAbc}};
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (const auto& [input, digest] : inputs) {
    threads.emplace_back([&wrong, input = input, digest = digest] {
      for (int n = 0; n < 20000; ++n) wrong += Sha256Hex(input) == digest ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace tunehub::core
