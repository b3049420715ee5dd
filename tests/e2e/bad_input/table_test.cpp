// Wrong tables. The hub refuses the whole table or its bad rows, names the place, and stores none
// of the refused rows.
#include "tests/e2e/hub_fixture.h"
#include "tests/support/gzip.h"

namespace tunehub::test {
namespace {

struct Refused {
  std::string verdict, row, column;
  bool operator==(const Refused&) const = default;
};

void PrintTo(const Refused& it, std::ostream* out) {
  *out << it.verdict << ", row " << it.row << ", column " << it.column;
}

class BadTableTest : public HubTest {
 protected:
  // The verdict of an answer, and the place of its first error.
  static Refused Place(const RawAnswer& answer) {
    const auto errors = JsonOf(answer).value("errors", nlohmann::json::array());
    if (errors.empty()) return {Verdict(answer), "", ""};
    return {Verdict(answer), errors[0].at("row").dump(), errors[0].at("column")};
  }
  // Sends a table four times: plain, compressed, atomic and as a dry run. All refusals must be
  // equal.
  static Refused Refusal(const std::string& table) {
    const std::string before = Stored();
    const Refused refused = Place(Submitter().Post(kResults, table));
    EXPECT_EQ(Place(Submitter().Post(kResults, Gzip(table), {{"Content-Encoding", "gzip"}})),
              refused);
    EXPECT_EQ(Place(Submitter().Post(kResults + "?atomic=1", table)), refused);
    EXPECT_EQ(Place(Submitter().Post(kResults + "?dry_run=1", table)), refused);
    EXPECT_EQ(Stored(), before);
    return refused;
  }
};

// AITER accepts unknown columns.
TEST_F(BadTableTest, an_unknown_column_is_left_out_with_a_warning_that_names_it) {
  std::string header = kHeader, row = Row(16, "90000.5");
  header.insert(header.size() - 1, ",speed");
  row.insert(row.size() - 1, ",fast");
  const RawAnswer answer = Good(Submitter().Post(kResults + "?dry_run=1", header + row));
  const auto receipt = JsonOf(answer);
  EXPECT_EQ(receipt.at("measured"), 1) << answer.body;
  EXPECT_EQ(receipt.at("warnings").at(0).at("code"), "unknown_column") << answer.body;
  EXPECT_EQ(receipt.at("warnings").at(0).at("column"), "speed");
}

TEST_F(BadTableTest, what_no_table_has_is_422_with_its_place) {
  std::string without_n = kHeader;
  without_n.erase(without_n.find("N,"), 2);
  const std::string table = kHeader + Row(1, "5.0"), long_field(1 << 20, '5');
  const std::pair<std::string, Refused> tables[] = {
      {without_n, {"422 missing_column", "1", "N"}},
      {table + "<<<<<<< HEAD\n" + Row(2, "5.0"), {"422 csv_conflict_marker", "3", ""}},
      {table + Row(2, std::string("5.0\0", 4)), {"422 csv_nul", "3", "us"}},
      {table + Row(2, long_field), {"422 csv_field_too_long", "3", "us"}},
      {table + Row(2, '"' + long_field + '"'), {"422 csv_field_too_long", "3", "us"}},
      {kHeader + Row(1, "\"5.0"), {"422 csv_unterminated_quote", "2", "us"}}};
  for (const auto& [body, refused] : tables) EXPECT_EQ(Refusal(body), refused);
  EXPECT_EQ(Refusal("\n").verdict, "422 empty_table");
  EXPECT_EQ(Verdict(Submitter().Post(kResults, "")), "422 empty_table");
}

// AITER's scripts evaluate the types of an untuned shape as Python expressions.
TEST_F(BadTableTest, an_expression_in_the_place_of_a_type_is_taken_by_no_route) {
  const std::string expression = "torch.x(__import__('os'))", before = Stored();
  const nlohmann::json shape = {{"M", 1}, {"N", 1280}, {"K", 8192}, {"q_dtype_w", expression}};
  const nlohmann::json of_gpu = {{"gfx", "gfx942"}, {"cu_num", 304}, {"shapes", {shape}}};
  nlohmann::json job = of_gpu;
  job["family"] = "a8w8";
  const std::string untuned = "/untuned/a8w8?gfx=gfx942&cu_num=304", json = "application/json";
  const std::string row = "gfx942,304,1,1280,8192," + expression + ",1,0,9.5,a8w8_k\n",
                    table = "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName\n" + row;
  const auto admin = Admin();
  const std::pair<std::string, RawAnswer> answers[] = {
      {"untuned, CSV", Submitter().Post(untuned + "&atomic=1",
                                        "M,N,K,q_dtype_w\n1,1280,8192," + expression + "\n")},
      {"untuned, JSON",
       Submitter().Post("/untuned/a8w8?atomic=1", of_gpu.dump(), {{"Content-Type", json}})},
      {"results", Submitter().Post("/results/a8w8?atomic=1", table)},
      {"import", admin.Post("/import?source=s", core::WriteTarGz({{"a8w8_tuned_gemm.csv", table}}),
                            {{"Content-Type", "application/gzip"}})},
      {"jobs", admin.Post("/jobs", job.dump(), {{"Content-Type", json}})}};
  for (const auto& [route, answer] : answers) {
    EXPECT_EQ(answer.status, 422) << route << answer.body;
    // If the hub accepts no row of an import, the error has the import's own code.
    EXPECT_THAT(answer.body, HasSubstr(route == "import" ? "nothing_to_import" : "not_in_enum"))
        << route;
  }
  // A log line without a valid shape does not count as demand.
  const auto logged = Submitter().Post("/demand/logs?gfx=gfx942&cu_num=304",
                                       "shape is M:1, N:1280, K:8192, q_dtype_w:" + expression +
                                           ", not found tuned config in "
                                           "/tmp/a8w8_tuned_gemm.csv, will use default config!\n");
  EXPECT_THAT(Open().Get(untuned).body, testing::Not(HasSubstr("__import__"))) << logged.body;
  EXPECT_EQ(Stored(), before);
}

TEST_F(BadTableTest, invalid_utf8_is_422_with_its_place) {
  EXPECT_EQ(Refusal(kHeader + Row(1, "5.0") + Row(2, "5.\xC3")),
            (Refused{"422 csv_not_utf8", "3", "us"}));
  EXPECT_EQ(Refusal("gfx,cu_num,\xC3\n"), (Refused{"422 csv_not_utf8", "1", ""}))
      << "a name that is not a text counts as no name";
}

TEST_F(BadTableTest, a_gzip_bomb_is_413_and_what_is_no_gzip_400) {
  const std::string before = Stored();
  const std::string bomb = Gzip(kHeader + std::string(64 << 20, ' '));
  ASSERT_LT(bomb.size(), std::size_t{1} << 20);
  EXPECT_EQ(Verdict(Submitter().Post(kResults, bomb, {{"Content-Encoding", "gzip"}})),
            "413 too_large");
  EXPECT_EQ(Verdict(Submitter().Post("/import", bomb, {{"Content-Encoding", "gzip"}})),
            "413 too_large");
  const std::string cut = Gzip(kHeader + Row(1, "5.0"));
  EXPECT_EQ(Verdict(Submitter().Post(kResults, cut.substr(0, cut.size() / 2),
                                     {{"Content-Encoding", "gzip"}})),
            "400 bad_gzip");
  EXPECT_EQ(Verdict(Submitter().Post(kResults, kHeader, {{"Content-Encoding", "br"}})),
            "415 bad_encoding");
  EXPECT_EQ(Verdict(Submitter().Post(kResults, kHeader, {{"Content-Type", "image/png"}})),
            "415 bad_content_type");
  EXPECT_EQ(Stored(), before);
}

TEST_F(BadTableTest, one_bad_row_among_good_ones_is_listed_and_the_good_ones_are_stored) {
  const std::string table = kHeader + Row(11, "5.0") + Row(12, "fast") + Row(14, "7.0");
  const auto receipt = JsonOf(Good(Submitter().Post(kResults, table)));
  EXPECT_EQ(receipt.at("accepted"), 2);
  EXPECT_EQ(receipt.at("rejected_count"), 1);
  EXPECT_EQ(receipt.at("rejected")[0].at("row"), 3);
  EXPECT_EQ(receipt.at("rejected")[0].at("column"), "us");
  EXPECT_EQ(receipt.at("rejected")[0].at("code"), "not_a_number");
  EXPECT_EQ(Open().Get(kTable + "&M=11&M=12&M=14").body, kHeader + Row(11, "5.0") + Row(14, "7.0"));
}

TEST_F(BadTableTest, atomic_stores_nothing_where_rows_are_bad_and_says_how_many) {
  const std::string table = kHeader + Row(21, "fast") + Row(22, "5.0") + Row(23, "slow");
  const std::string before = Stored();
  const RawAnswer refused = Submitter().Post(kResults + "?atomic=1", table);
  EXPECT_EQ(Place(refused), (Refused{"422 rejected_rows", "2", "us"}));
  EXPECT_EQ(JsonOf(refused).at("detail"),
            "nothing was stored, because 2 rows are rejected and atomic=1 is set");
  EXPECT_EQ(Stored(), before);
  EXPECT_EQ(Verdict(Submitter().Post(kResults + "?atomic=1", kHeader + Row(21, "5.0"))), "200");
}

TEST_F(BadTableTest, an_idempotency_key_is_for_one_body) {
  const Headers key = {{"Idempotency-Key", "batch-1"}};
  const std::string table = kHeader + Row(31, "5.0");
  const RawAnswer first = Good(Submitter().Post(kResults, table, key));
  const std::string before = Stored();
  const RawAnswer again = Submitter().Post(kResults, table, key);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(again.Header("idempotency-replayed"), "true");
  const RawAnswer zipped = Submitter().Post(
      kResults, Gzip(table), {{"Idempotency-Key", "batch-1"}, {"Content-Encoding", "gzip"}});
  EXPECT_EQ(zipped.body, first.body);
  EXPECT_EQ(Verdict(Submitter().Post(kResults, kHeader + Row(31, "4.0"), key)),
            "422 idempotency_key_reused");
  EXPECT_EQ(Verdict(Submitter().Post(kResults + "?atomic=1", table, key)),
            "422 idempotency_key_reused");
  EXPECT_EQ(
      Verdict(Submitter().Post(kResults, table, {{"Idempotency-Key", std::string(129, 'k')}})),
      "400 bad_parameter");
  EXPECT_EQ(Stored(), before);
}

TEST_F(BadTableTest, json_that_is_too_deep_is_422_and_leaves_no_trace) {
  const Headers json = {{"Content-Type", "application/json"}};
  const std::string before = Stored();
  EXPECT_EQ(Submitter().Post(kResults, std::string(100'000, '['), json).status, 422);
  EXPECT_EQ(Submitter().Post(kResults, R"({"rows":[{}]})", json).status, 422);
  EXPECT_EQ(Stored(), before);
}

TEST_F(BadTableTest, an_archive_that_is_none_is_400_and_one_without_a_table_422) {
  const std::string before = Stored();
  EXPECT_EQ(Verdict(Submitter().Post("/import", kHeader + Row(1, "5.0"))), "400 bad_archive");
  EXPECT_EQ(Verdict(Submitter().Post("/import", std::string(10240, '\0'))),
            "422 nothing_to_import");
  EXPECT_EQ(Stored(), before);
}

}  // namespace
}  // namespace tunehub::test
