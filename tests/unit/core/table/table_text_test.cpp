#include <gtest/gtest.h>

#include "core/table/csv.h"

namespace tunehub::core {
namespace {

// "" for a text that may be read, else "code: detail".
std::string Refusal(std::string_view text) {
  const Status status = CheckTableText(text);
  return status.ok() ? "" : status.error().code + ": " + status.error().detail;
}

TEST(TableText, PlainAndNonAsciiTextPasses) {
  EXPECT_EQ(Refusal(""), "");
  EXPECT_EQ(Refusal("gfx,cu_num\ngfx942,304\n"), "");
  EXPECT_EQ(Refusal("\xEF\xBB\xBFgfx\n\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xF4\x8F\xBF\xBF\n"), "");
  EXPECT_EQ(Refusal("\xC2\x80 \xDF\xBF \xE0\xA0\x80 \xED\x9F\xBF \xEE\x80\x80 \xF0\x90\x80\x80"),
            "");
}

TEST(TableText, ANulIsFoundAtEveryOffset) {
  for (std::size_t offset = 0; offset < 40; ++offset) {
    std::string text = "a\n" + std::string(40, 'x');
    text[2 + offset] = '\0';
    EXPECT_EQ(Refusal(text), "csv_nul: line 2, field 1: a NUL byte") << offset;
  }
  EXPECT_EQ(Refusal(std::string("\0", 1)), "csv_nul: line 1, field 1: a NUL byte");
  EXPECT_EQ(Refusal(std::string("\xC3\xA9\0", 3)), "csv_nul: line 1, field 1: a NUL byte");
}

TEST(TableText, BytesThatAreNoUtf8AreRefusedWithTheirLine) {
  for (const char* const bad : {
           "\x80",              // a continuation without a lead
           "\xBF", "\xC3",      // a lead at the end of the text
           "\xC3(",             // no continuation
           "\xC0\x80",          // an overlong NUL
           "\xC1\xBF",          // overlong
           "\xE0\x9F\xBF",      // overlong, three bytes
           "\xF0\x8F\xBF\xBF",  // overlong, four bytes
           "\xED\xA0\x80",      // a surrogate
           "\xED\xBF\xBF",      // the last one
           "\xF4\x90\x80\x80",  // above U+10FFFF
           "\xF5\x80\x80\x80", "\xFE", "\xFF",
           "\xE2\x82",          // cut off
           "\xE2\x28\xAC",      // a bad second byte
           "\xF0\x9F\x98\x28",  // a bad last byte
       }) {
    const std::string text = std::string("eight123\nplain,\nx,") + bad;
    EXPECT_EQ(Refusal(text), "csv_not_utf8: line 3, field 2: bytes that are no UTF-8");
    EXPECT_EQ(Refusal(text + ",x\n"), "csv_not_utf8: line 3, field 2: bytes that are no UTF-8");
  }
}

TEST(TableText, GitConflictMarkersAreRefusedWithTheirLine) {
  const std::string what = ": a git conflict marker";
  EXPECT_EQ(Refusal("a\n<<<<<<< HEAD\n"), "csv_conflict_marker: line 2" + what);
  EXPECT_EQ(Refusal("a\n1\n=======\n2"), "csv_conflict_marker: line 3" + what);
  EXPECT_EQ(Refusal("a\n=======\r\n"), "csv_conflict_marker: line 2" + what);
  EXPECT_EQ(Refusal("a\n||||||| base"), "csv_conflict_marker: line 2" + what);
  EXPECT_EQ(Refusal(">>>>>>> branch\r\n"), "csv_conflict_marker: line 1" + what);
  EXPECT_EQ(Refusal("a,=======\n========\n<<<<<<<<\n"), "") << "not at a line's start, or not one";
}

TEST(TableText, ATextFullOfNonAsciiIsCheckedInOnePass) {
  // 4 MB take ten milliseconds; counting the lines at each character, hours.
  std::string text;
  for (int i = 0; i < 2'000'000; ++i) text += i % 40 == 0 ? "\xC3\xA9\n" : "\xC3\xA9";
  EXPECT_EQ(Refusal(text), "");
}

}  // namespace
}  // namespace tunehub::core
