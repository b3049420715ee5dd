#include "core/table/csv.h"

#include <gtest/gtest.h>

namespace tunehub::core {
namespace {

// Returns every record as "line:[field|field]", then the error, if any.
std::string Read(std::string_view text) {
  CsvReader reader(text);
  CsvRecord record;
  std::string out;
  for (;;) {
    const Result<bool> more = reader.Next(record);
    if (!more.ok()) return out + more.error().code + ": " + more.error().detail;
    if (!*more) return out;
    out += std::to_string(record.line) + ":[";
    for (std::size_t i = 0; i < record.fields.size(); ++i) {
      out.append(i == 0 ? "" : "|").append(record.fields[i]);
    }
    out += "]";
  }
}

TEST(Csv, fields_are_split_at_commas_lines_end_in_lf_or_crlf_and_blank_ones_are_skipped) {
  EXPECT_EQ(Read("M,N,K\n1, 1280 ,\t8192\n"), "1:[M|N|K]2:[1|1280|8192]");
  EXPECT_EQ(Read("a,,c,\n"), "1:[a||c|]");
  EXPECT_EQ(Read("a,b\r\n1,2\r\n"), "1:[a|b]2:[1|2]");
  EXPECT_EQ(Read("a,b\n1,2"), "1:[a|b]2:[1|2]");
  EXPECT_EQ(Read("a,b\r\n1,2\r"), "1:[a|b]2:[1|2]");
  EXPECT_EQ(Read("a,b\r\n1,\"2\"\r\n3,4"), "1:[a|b]2:[1|2]3:[3|4]");
  EXPECT_EQ(Read("\n\r\na\n  \n,,,\n , ,\n\"\",\nb\n\n"), "3:[a]8:[b]");
  EXPECT_EQ(Read(""), "");
  EXPECT_EQ(Read("\n\n"), "");
  EXPECT_EQ(Read("\xEF\xBB\xBFgfx,M\ngfx942,1\n"), "1:[gfx|M]2:[gfx942|1]");
  EXPECT_EQ(Read("\xEF\xBB\xBF"), "");
}

TEST(Csv, quoted_fields_keep_what_they_hold_and_comment_lines_are_skipped) {
  EXPECT_EQ(Read("\"a,b\",\"c\"\"d\",\" e \"\nf\n"), "1:[a,b|c\"d| e ]2:[f]");
  EXPECT_EQ(Read("x, \"a\" ,y\n"), "1:[x|a|y]");
  EXPECT_EQ(Read("\"two\nlines\",1\nnext\n"), "1:[two\nlines|1]3:[next]");
  EXPECT_EQ(Read("a\"b,c\n"), "1:[a\"b|c]") << "a quote inside a plain field is text";
  EXPECT_EQ(Read("# made by hand\na,b\n #x,y\n1,2\n"), "2:[a|b]4:[1|2]");
  EXPECT_EQ(Read("# the \"old\", \"unclosed\na\n"), "2:[a]") << "a quote in a comment is text";
  EXPECT_EQ(Read("# x, \"unclosed\na\n# last, \"y"), "2:[a]");
  EXPECT_EQ(Read("#" + std::string(kMaxFieldBytes, '-') + "\na\n"), "2:[a]");
  EXPECT_EQ(Read("a\n\"#b\"\n"), "1:[a]2:[#b]") << "a quoted # starts a value";
}

TEST(Csv, what_cannot_be_read_is_named_with_line_and_field) {
  EXPECT_EQ(Read("a\nb,\"c\nd,e\n"),
            "1:[a]csv_unterminated_quote: line 2, field 2: a quoted field has no closing quote");
  EXPECT_EQ(Read("\""),
            "csv_unterminated_quote: line 1, field 1: a quoted field has no closing quote");
  EXPECT_EQ(Read("a,b\n1,\"2\"3\n"),
            "1:[a|b]csv_text_after_quote: line 2, field 2: text follows the closing quote");
  const std::string most(kMaxFieldBytes, 'x');
  EXPECT_EQ(Read("a," + most), "1:[a|" + most + "]");
  EXPECT_EQ(Read("a\nb," + most + "x\n"),
            "1:[a]csv_field_too_long: line 2, field 2: has 4097 bytes; the limit is 4096");
  EXPECT_EQ(Read("\"" + most + "x\""),
            "csv_field_too_long: line 1, field 1: has 4097 bytes; the limit is 4096");
}

TEST(Csv, the_record_keeps_its_text_without_the_line_end) {
  CsvReader reader(" a , b\r\n\"x\ny\",2");
  CsvRecord record;
  ASSERT_TRUE(*reader.Next(record));
  EXPECT_EQ(record.text, " a , b");
  ASSERT_TRUE(*reader.Next(record));
  EXPECT_EQ(record.text, "\"x\ny\",2");
}

TEST(Csv, a_field_is_quoted_only_where_it_must_be) {
  const auto written = [](std::string_view field) {
    std::string out;
    AppendCsvField(out, field);
    return out;
  };
  EXPECT_EQ(written("4.8294"), "4.8294");
  EXPECT_EQ(written(""), "");
  EXPECT_EQ(written("a b"), "a b");
  EXPECT_EQ(written("a,b"), "\"a,b\"");
  EXPECT_EQ(written("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(written(" a"), "\" a\"");
  EXPECT_EQ(written("a\t"), "\"a\t\"");
  EXPECT_EQ(written("a\nb"), "\"a\nb\"");
}

}  // namespace
}  // namespace tunehub::core
