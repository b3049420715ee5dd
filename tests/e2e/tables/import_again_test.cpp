// A tree that is imported again and again, as a person who asks the hub sees it.
#include <gmock/gmock.h>

#include "core/system/tar.h"
#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

RawAnswer SendTree(ServerProcess& server, const std::string& rows) {
  return server.Client(server.NewKey("submit"))
      .Post("/import?source=tree",
            core::WriteTarGz({{"a8w8_blockscale_tuned_gemm.csv", kHeader + rows}}),
            {{"Content-Type", "application/gzip"}});
}

TEST(ImportAgainTest, runs_say_what_they_stored_and_whose_rows_they_repeat) {
  ServerProcess server({.database = NewDatabase()});
  const std::string tree = Row(16, "7.5") + Row(32, "8.5");
  ASSERT_EQ(Verdict(SendTree(server, tree)), "200");
  const auto again = JsonOf(SendTree(server, tree));
  EXPECT_EQ(again.at("stored"), 0);
  EXPECT_EQ(again.at("unchanged"), 2);
  const auto more = JsonOf(SendTree(server, tree + Row(64, "9.5")));
  EXPECT_EQ(more.at("stored"), 1);
  const auto runs = JsonOf(server.Client().Get("/runs")).at("runs");
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].at("rows"), 3);
  EXPECT_EQ(runs[0].at("stored"), 1);
  EXPECT_EQ(runs[0].at("repeats"), runs[1].at("id"));
  EXPECT_EQ(runs[1].at("stored"), 0);
  EXPECT_TRUE(runs[2].at("repeats").is_null());
  const auto run = JsonOf(server.Client().Get("/runs/" + runs[0].at("id").dump()));
  EXPECT_EQ(run.at("repeated").dump(), "[{\"rows\":2,\"run\":" + runs[2].at("id").dump() + "}]");
}

// A digest is the word of one owner, whichever of its keys says it.
class SentTree {
 public:
  explicit SentTree(ServerProcess& server, const std::string& owner = "default")
      : client_(server.Client(server.NewKey("submit", {"--owner", owner}))) {}

  RawAnswer Send(const std::string& content, const std::vector<core::TarFile>& files) {
    return client_.Post("/import?source=tree&content=" + content, core::WriteTarGz(files),
                        {{"Content-Type", "application/gzip"}});
  }
  RawAnswer Again(const std::string& query, const std::string& run = "") {
    return client_.Post("/import/again" + query, run, {{"Content-Type", "application/json"}});
  }

 private:
  HttpClient client_;
};

TEST(ImportAgainTest, what_an_import_is_made_from_need_not_be_sent_again) {
  ServerProcess server({.database = NewDatabase()});
  SentTree tree(server);
  const std::string content(64, 'a'), query = "?source=tree&content=" + content;
  const std::vector<core::TarFile> files = {
      {"report.json", R"({"files":2,"findings":[]})"},
      {"a8w8_blockscale_tuned_gemm.csv", kHeader + Row(16, "7.5")}};
  const RawAnswer unknown = tree.Again(query);
  EXPECT_EQ(Verdict(unknown), "404 unknown_content");
  EXPECT_THAT(unknown.body, testing::HasSubstr("from 'tree'"));
  const auto first = JsonOf(tree.Send(content, files));
  EXPECT_EQ(first.at("files").size(), 1u) << "the report is no table";
  const RawAnswer answer = tree.Again(query, R"({"note":"nightly","triton":"3.5.1"})");
  ASSERT_EQ(Verdict(answer), "200") << answer.body;
  const auto again = JsonOf(answer);
  EXPECT_EQ(again.at("unchanged"), 1);
  EXPECT_EQ(again.at("report"), nlohmann::json::parse(files[0].bytes));
  const auto run = JsonOf(server.Client().Get("/runs/" + again.at("run").dump()));
  EXPECT_EQ(run.at("provenance").at("note"), "nightly") << run.dump();
  EXPECT_EQ(run.at("repeats"), first.at("run"));
  EXPECT_EQ(server.Client().Get(kTable + "&source=tree").body, kHeader + Row(16, "7.5"));
  EXPECT_EQ(Verdict(SentTree(server).Again(query)), "200") << "another key of the owner";
  EXPECT_EQ(Verdict(SentTree(server, "engines").Again(query)), "404 unknown_content");
}

TEST(ImportAgainTest, what_is_asked_must_be_whole) {
  ServerProcess server({.database = NewDatabase()});
  SentTree tree(server);
  const std::string content(64, 'a');
  const std::vector<std::string> queries = {std::string(),
                                            "?source=tree",
                                            "?content=" + content,
                                            "?source=tree&content=abc",
                                            "?source=tree&content=" + std::string(64, 'A'),
                                            "?source=&content=" + content};
  for (const std::string& query : queries) {
    EXPECT_EQ(Verdict(tree.Again(query)), "400 bad_parameter") << query;
  }
  const std::string whole = "?source=tree&content=" + content;
  EXPECT_EQ(Verdict(tree.Again(whole + "&atomic=1")), "400 unknown_parameter");
  const RawAnswer run = tree.Again(whole, R"({"colour":"red"})");
  EXPECT_EQ(Verdict(run), "422 bad_run");
  EXPECT_THAT(run.body, testing::HasSubstr("colour"));
  const core::TarFile table{"a8w8_blockscale_tuned_gemm.csv", kHeader + Row(16, "7.5")};
  EXPECT_EQ(Verdict(tree.Send("abc", {table})), "400 bad_parameter");
  for (const char* report : {"", "[]", "{", R"({"files":2}})", "{\"\xff\":1}"}) {
    EXPECT_EQ(Verdict(tree.Send(content, {{"report.json", report}, table})), "422 bad_report")
        << report;
  }
  const std::string deep = "{\"a\":" + std::string(40, '[') + std::string(40, ']') + "}";
  EXPECT_EQ(Verdict(tree.Send(content, {{"report.json", deep}, table})), "422 bad_report");
  const std::string long_report = "{\"a\":\"" + std::string(1024 * 1024, 'a') + "\"}";
  EXPECT_EQ(Verdict(tree.Send(content, {{"report.json", long_report}, table})), "413 too_large");
}

TEST(ImportAgainTest, one_source_is_served_alone) {
  ServerProcess server({.database = NewDatabase()});
  ASSERT_EQ(Verdict(SendTree(server, Row(16, "7.5"))), "200");
  ASSERT_EQ(Verdict(server.Client(server.NewKey("submit"))
                        .Post(kResults, kHeader + Row(16, "6.5") + Row(32, "8.5"))),
            "200");
  EXPECT_EQ(server.Client().Get(kTable + "&source=tree").body, kHeader + Row(16, "7.5"));
  const auto unknown = server.Client().Get(kTable + "&source=wood");
  EXPECT_EQ(Verdict(unknown), "404 unknown_source");
  EXPECT_THAT(unknown.body, testing::HasSubstr("'wood'"));
  EXPECT_EQ(Verdict(server.Client().Get(kTable + "&source=tree&revision=1")), "400 bad_parameter");
}

}  // namespace
}  // namespace tunehub::test
