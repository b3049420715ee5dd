#include <gtest/gtest.h>

#include "core/table/csv.h"
#include "server/ingest/submission.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::server {
namespace {

core::Result<Submission> ReadJson(std::string_view body) {
  return ReadJsonSubmission(test::ShippedFamily("a8w8_blockscale"), test::ShippedTargets(), body,
                            {});
}

std::string JsonCode(std::string_view body) {
  return ErrorCode(ReadJson(body));
}

std::string JsonRow(const std::string& more = "") {
  return R"({"gfx":"gfx942","cu_num":304,"M":16,"N":1536,"K":7168,"libtype":"ck","kernelId":1,"splitK":0,)"
         R"("us":7.10,"kernelName":"a","errRatio":0.0)" +
         more + "}";
}

std::string JsonRowOf(const std::string& kernel) {
  std::string row = JsonRow();
  return row.replace(row.find(R"("a")"), 3, '"' + kernel + '"');
}

TEST(JsonSubmission, is_read_as_the_csv_of_its_rows_with_the_evidence_beside) {
  const auto submission = Must(ReadJson(
      "{\"rows\":[" +
      JsonRow(
          R"(,"samples":[7.10,7.2],"us_hot":6.5,"us_cold":9,"us_low":7.1,"ended":"limit","clock":"steady","timing":"kernel","status":"ok","reason":"a \"quote\"")") +
      "," + JsonRow() + "]}"));
  ASSERT_EQ(submission.table.rows.size(), 2u);
  EXPECT_EQ(submission.table.rows[0].line, "gfx942,304,16,1536,7168,ck,1,0,7.10,a,,,0.0")
      << "numbers keep their text";
  EXPECT_EQ(
      submission.evidence[0],
      R"({"samples":[7.1,7.2],"us_hot":6.5,"us_cold":9,"us_low":7.1,"ended":"limit","clock":"steady","timing":"kernel","status":"ok","reason":"a \"quote\""})");
  EXPECT_EQ(submission.evidence[1], "");
  EXPECT_EQ(submission.table.rows[1].source_line, 2u) << "the row's place in the array";
  EXPECT_EQ(ReadJson("[" + JsonRow() + "]")->table.rows.size(), 1u);
}

TEST(JsonSubmission, what_runs_untuned_is_marked_by_true_or_false_and_nothing_else) {
  const auto submission = Must(ReadJson("[" + JsonRow(R"(,"is_default":true)") + "," +
                                        JsonRow(R"(,"searched":true,"is_default":false)") + "," +
                                        JsonRow(R"(,"reason":"default")") + "]"));
  EXPECT_TRUE(submission.marks[0].is_default && !submission.marks[0].searched);
  EXPECT_TRUE(!submission.marks[1].is_default && submission.marks[1].searched);
  EXPECT_FALSE(submission.marks[2].is_default) << "free text marks no default";
  const auto refused = ReadJson("[" + JsonRow() + "," + JsonRow(R"(,"is_default":"yes")") + "]");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().detail, "row 2: is_default: \"yes\" must be true or false");
}

TEST(JsonSubmission, a_bad_row_among_good_ones_is_one_rejected_row) {
  std::string wide = JsonRow(R"(,"samples":[1])");
  wide.replace(wide.find("16"), 2, R"("wide")");
  const auto submission =
      Must(ReadJson("[" + JsonRow() + "," + wide + "," + JsonRow(R"(,"samples":[3])") + "]"));
  ASSERT_EQ(submission.table.rejected.size(), 1u);
  EXPECT_EQ(submission.table.rejected[0].line, 2u);
  EXPECT_EQ(submission.evidence, (std::vector<std::string>{"", R"({"samples":[3]})"}));
}

std::string RefusalOf(std::string_view body) {
  return ErrorText(ReadJson(body));
}

TEST(JsonSubmission, refusals_name_the_row_or_are_of_the_whole_like_a_tables) {
  const auto unknown = ReadJson("[" + JsonRow() + "," + JsonRow(R"(,"colour":"red")") + "]");
  EXPECT_EQ(unknown.error().code, "unknown_column");
  EXPECT_EQ(unknown.error().detail, "row 2: a8w8_blockscale has no column 'colour'");
  EXPECT_EQ(unknown.error().place, (core::ErrorPlace{.row = 2, .column = "colour"}));
  for (const char* empty :
       {"{}", R"({"gfx":""})", R"({"gfx":" ","M":null})", R"({"samples":[1]})"}) {
    const auto refused = ReadJson("[" + JsonRow() + "," + empty + "]");
    ASSERT_FALSE(refused.ok()) << empty;
    EXPECT_NE(refused.error().detail.find("row 2"), std::string::npos) << refused.error().detail;
    EXPECT_EQ(refused.error().place, core::ErrorPlace{.row = 2});
  }
  // Clients rely on line numbers as in a table, where the header is line 1 and the rows follow.
  EXPECT_EQ(RefusalOf("[]"), "empty_table: the table has no header");
  std::string lacks_n = JsonRow();
  lacks_n.erase(lacks_n.find("\"N\""), std::string(R"("N":1536,)").size());
  EXPECT_EQ(RefusalOf("[" + lacks_n + "]"),
            "missing_column: line 1: the column 'N' of a8w8_blockscale is missing");
  EXPECT_EQ(RefusalOf("[" + JsonRow() + "," + lacks_n + "]"), "") << "only the row is rejected";
  const std::string most(core::kMaxFieldBytes, 'x');
  EXPECT_EQ(RefusalOf("[" + JsonRowOf(most) + "]"), "");
  EXPECT_EQ(RefusalOf("[" + JsonRow() + "," + JsonRowOf("x" + most) + "]"),
            "csv_field_too_long: line 3, field 10: has 4097 bytes; the limit is 4096");
}

TEST(JsonSubmission, a_cell_is_what_a_quoted_field_is) {
  const auto json = ReadJson("[" + JsonRowOf("FAILED: a, b ") + "]");
  const auto csv = ReadCsvSubmission(
      test::ShippedFamily("a8w8_blockscale"), test::ShippedTargets(),
      "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
      "gfx942,304,16,1536,7168,ck,1,0,7.10,\"FAILED: a, b \",,,0.0\n",
      {});
  ASSERT_TRUE(json.ok() && csv.ok());
  ASSERT_EQ(json->table.rows.size() + csv->table.rows.size(), 2u);
  EXPECT_EQ(json->table.rows[0].line, csv->table.rows[0].line);
  EXPECT_EQ(json->table.rows[0].candidate, csv->table.rows[0].candidate);
}

// A control character must not shift the lines by which evidence finds its row. jsonb cannot store
// NUL.
TEST(JsonSubmission, control_characters_do_no_harm) {
  for (const char* value : {R"("a\nb")", R"("a\r\nb")", R"("a\u0000b")", R"("#a")"}) {
    for (const char* column : {"kernelName", "reason", "gfx"}) {
      const std::string row = "{\"cu_num\":304,\"" + std::string(column) + "\":" + value + "}";
      const auto submission = ReadJson("[" + row + "," + JsonRow(R"(,"samples":[1])") + "]");
      if (!submission.ok()) continue;
      ASSERT_EQ(submission->table.rows.size() + submission->table.rejected.size(), 2u) << row;
      EXPECT_EQ(submission->evidence.back(), R"({"samples":[1]})") << row;
    }
  }
  EXPECT_NE(JsonCode("[" + JsonRow(R"(,"reason":"a\u0000b")") + "]"), "");
}

TEST(JsonSubmission, what_is_no_list_of_rows_is_refused) {
  for (const std::string& bad :
       {std::string(), std::string("null"), std::string("7"), std::string("{}"),
        std::string(R"({"rows":7})"), std::string(R"({"rows":{}})"), std::string(R"({"lines":[]})"),
        R"({"rows":[)" + JsonRow() + R"(],"rows":[]})", std::string("[7]"), std::string("[[1]]"),
        std::string("[") + JsonRow(), "[" + JsonRow() + "] more",
        "[" + JsonRow() + "]" + '\0' + "more", "[" + JsonRow(R"(,"us":1)") + "]",
        "[" + JsonRow(R"(,"is_default":true,"is_default":false)") + "]",
        "[" + JsonRow(R"(,"samples":[1],"samples":[2])") + "]",
        "[" + JsonRow(R"(,"samples":[[1]])") + "]", "[" + JsonRow(R"(,"samples":{"a":1})") + "]",
        std::string("[{\"gfx\":\"\xFF\"}]")}) {
    EXPECT_EQ(JsonCode(bad), "bad_json") << bad;
  }
}

// With a kilobyte of memory for each row, a body of 64 MiB would take seven gigabytes.
TEST(JsonSubmission, has_no_more_rows_than_a_csv) {
  std::string body = "[";
  for (std::size_t i = 0; i <= kMaxRows; ++i) body += "{\"M\":1},";
  body.back() = ']';
  EXPECT_EQ(JsonCode(body), "too_many_rows");
}

}  // namespace
}  // namespace tunehub::server
