// An error contains its place in its text and in its fields.
#include <gtest/gtest.h>

#include "core/builds/manifest.h"
#include "core/table/csv.h"
#include "core/table/tuned_table.h"
#include "core/table/untuned_table.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

Error ErrorOf(const std::string& csv, std::size_t max_rows = kMaxTableRows) {
  const auto table = ReadTunedTable(test::ShippedFamily("a8w8_blockscale"), test::ShippedTargets(),
                                    csv, {.max_rows = max_rows, .error_limit = {}});
  return table.ok() ? Error{} : table.error();
}

TEST(TableError, says_its_place_in_words_and_in_fields) {
  const Error line = AtLine("code", 3, "is wrong", "M");
  EXPECT_EQ(line.detail, "line 3: is wrong");
  EXPECT_EQ(line.place, (ErrorPlace{.row = 3, .column = "M"}));
  const Error field = AtField("code", 3, 9, "is wrong");
  EXPECT_EQ(field.detail, "line 3, field 9: is wrong");
  EXPECT_EQ(field.place, (ErrorPlace{.row = 3, .field = 9}));
}

TEST(TableError, the_column_of_a_field_is_named_by_the_header) {
  const auto named = [](std::size_t field, const char* csv) {
    return NameColumn(AtField("code", 3, field, "is wrong"), csv).place.column;
  };
  EXPECT_EQ(named(2, "# made by hand\nM, \"N\" ,K\n"), "N");
  EXPECT_EQ(named(4, "M,N,K\n"), "") << "the header has no field 4";
  EXPECT_EQ(named(1, "\"M,N,K\n"), "") << "the header is invalid";
  EXPECT_EQ(named(1, ""), "");
  EXPECT_EQ(named(2, "M,\xFF\n"), "") << "the name is no UTF-8";
  EXPECT_EQ(NameColumn({"code", "detail"}, "M,N,K\n"), (Error{"code", "detail"}));
}

TEST(TableError, a_tuned_table_is_refused_with_row_and_column) {
  const std::string row = "gfx942,304,16,1536,7168,ck,1,0,10.0,a,9,9,0.0\n";
  struct Case {
    std::string csv, code;
    ErrorPlace place;
  };
  std::string lacks_n = test::kBlockscaleHeader, twice = test::kBlockscaleHeader;
  lacks_n.erase(lacks_n.find("N,"), 2);
  twice.insert(twice.size() - 1, ",us");
  const Case cases[] = {
      {"", "empty_table", {}},
      {lacks_n, "missing_column", {.row = 1, .column = "N"}},
      {"\n" + twice, "duplicate_column", {.row = 2, .column = "us"}},
      {test::kBlockscaleHeader + row + std::string("a,\0", 3), "csv_nul", {3, 2, "cu_num"}},
      {test::kBlockscaleHeader + "a,b,\xFF", "csv_not_utf8", {2, 3, "M"}},
      {test::kBlockscaleHeader + row + "<<<<<<< HEAD\n", "csv_conflict_marker", {.row = 3}},
      {test::kBlockscaleHeader + "a,\"b", "csv_unterminated_quote", {2, 2, "cu_num"}},
      {test::kBlockscaleHeader + "a,\"b\"c", "csv_text_after_quote", {2, 2, "cu_num"}},
      {test::kBlockscaleHeader + std::string(kMaxFieldBytes + 1, 'x'),
       "csv_field_too_long",
       {2, 1, "gfx"}},
      {test::kBlockscaleHeader + row + row + row, "too_many_rows", {.row = 4}}};
  for (const Case& it : cases) {
    const Error error = ErrorOf(it.csv, 2);
    EXPECT_EQ(error.code, it.code) << error.detail;
    EXPECT_EQ(error.place, it.place) << error.detail;
  }
  EXPECT_EQ(ErrorOf(test::kBlockscaleHeader + row + row, 2).code, "");
}

TEST(TableError, untuned_tables_and_manifests_have_places_too) {
  const Family& family = test::ShippedFamily("a8w8_blockscale");
  EXPECT_EQ(ReadUntunedTable(family, "M,N,K,speed\n", {}, 9).error().place,
            (ErrorPlace{.row = 1, .column = "speed"}));
  EXPECT_EQ(ReadUntunedTable(family, "M,N,K\n1,\"2", {}, 9).error().place, (ErrorPlace{2, 2, "N"}));
  std::vector<RowIssue> issues;
  EXPECT_EQ(ParseManifest("# kind: compiled\n\nmodule,gfx,gfx\n", issues).error().place,
            (ErrorPlace{.row = 3, .column = "gfx"}));
}

// Returns "" for a valid text, else "code: detail".
std::string Refusal(std::string_view text) {
  return ErrorText(CheckTableText(text));
}

TEST(TableText, a_nul_and_conflict_markers_are_found_and_other_text_passes_at_once) {
  EXPECT_EQ(Refusal(""), "");
  EXPECT_EQ(Refusal("gfx,cu_num\ngfx942,304\n"), "");
  EXPECT_EQ(Refusal("\xEF\xBB\xBFgfx\n\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xF4\x8F\xBF\xBF\n"), "");
  EXPECT_EQ(Refusal("\xC2\x80 \xDF\xBF \xE0\xA0\x80 \xED\x9F\xBF \xEE\x80\x80 \xF0\x90\x80\x80"),
            "");
  for (std::size_t offset = 0; offset < 40; ++offset) {
    std::string text = "a\n" + std::string(40, 'x');
    text[2 + offset] = '\0';
    EXPECT_EQ(Refusal(text), "csv_nul: line 2, field 1: a NUL byte") << offset;
  }
  EXPECT_EQ(Refusal(std::string("\0", 1)), "csv_nul: line 1, field 1: a NUL byte");
  EXPECT_EQ(Refusal(std::string("\xC3\xA9\0", 3)), "csv_nul: line 1, field 1: a NUL byte");
  const std::string what = ": is a git conflict marker; resolve the conflict first";
  EXPECT_EQ(Refusal("a\n<<<<<<< HEAD\n"), "csv_conflict_marker: line 2" + what);
  EXPECT_EQ(Refusal("a\n1\n=======\n2"), "csv_conflict_marker: line 3" + what);
  EXPECT_EQ(Refusal("a\n=======\r\n"), "csv_conflict_marker: line 2" + what);
  EXPECT_EQ(Refusal("a\n||||||| base"), "csv_conflict_marker: line 2" + what);
  EXPECT_EQ(Refusal(">>>>>>> branch\r\n"), "csv_conflict_marker: line 1" + what);
  EXPECT_EQ(Refusal("a,=======\n========\n<<<<<<<<\n"), "")
      << "not at a line's start, or no marker";
  // 4 MB take ten milliseconds. A reader that counts lines at each character would take hours.
  std::string text;
  for (int i = 0; i < 2'000'000; ++i) text += i % 40 == 0 ? "\xC3\xA9\n" : "\xC3\xA9";
  EXPECT_EQ(Refusal(text), "");
}

TEST(TableText, bytes_that_are_no_utf8_are_refused_with_their_line) {
  for (const char* const bad : {
           "\x80",              // a continuation without a lead
           "\xBF", "\xC3",      // a lead at the end of the text
           "\xC3(",             // no continuation
           "\xC0\x80",          // an overlong NUL
           "\xC1\xBF",          // overlong
           "\xE0\x9F\xBF",      // overlong, three bytes
           "\xF0\x8F\xBF\xBF",  // overlong, four bytes
           "\xED\xA0\x80",      // a surrogate
           "\xED\xBF\xBF",      // the last surrogate
           "\xF4\x90\x80\x80",  // above U+10FFFF
           "\xF5\x80\x80\x80", "\xFE", "\xFF",
           "\xE2\x82",          // cut off
           "\xE2\x28\xAC",      // a bad second byte
           "\xF0\x9F\x98\x28",  // a bad last byte
       }) {
    const std::string text = std::string("eight123\nplain,\nx,") + bad;
    EXPECT_EQ(Refusal(text), "csv_not_utf8: line 3, field 2: bytes that are not UTF-8");
    EXPECT_EQ(Refusal(text + ",x\n"), "csv_not_utf8: line 3, field 2: bytes that are not UTF-8");
  }
}

}  // namespace
}  // namespace tunehub::core
