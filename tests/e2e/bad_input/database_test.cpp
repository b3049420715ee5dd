// Without its database the server answers reads and refuses writes. It recovers by itself.
#include "server/embedded/cluster.h"
#include "tests/e2e/hub_fixture.h"
#include "tests/support/comes.h"
#include "tests/support/postmaster.h"

namespace tunehub::test {
namespace {

constexpr const char* kStale = "110 - \"Response is Stale\"";

// Repeats the request until its verdict is `wanted`. Returns the last verdict.
std::string Eventually(const std::string& wanted, const std::function<RawAnswer()>& ask) {
  std::string verdict;
  Comes([&] { return (verdict = Verdict(ask())) == wanted; });
  return verdict;
}

void ExpectReadsFromMemory(const ServerProcess& server, const std::string& table) {
  const RawAnswer known = server.Client().Get(kTable);
  EXPECT_EQ(known.body, table);
  EXPECT_EQ(known.Header("warning"), kStale);
  const RawAnswer unchanged =
      server.Client().Get(kTable, {{"If-None-Match", known.Header("etag")}});
  EXPECT_EQ(unchanged.status, 304);
  EXPECT_EQ(unchanged.Header("warning"), kStale);
  // The server also answers filters that no earlier request had.
  EXPECT_EQ(server.Client().Get(kTable + "&M=1&cu_num=80").body, kHeader + Row(1, "5.0"));
  const RawAnswer none = server.Client().Get("/tuned/a8w8_blockscale?gfx=gfx950");
  EXPECT_EQ(Verdict(none), "404 no_rows");
  EXPECT_EQ(none.Header("warning"), kStale);
  EXPECT_EQ(server.Client().Get("/tuned").Header("warning"), kStale);
  EXPECT_EQ(server.Client().Get("/targets").Header("warning"), kStale);
  EXPECT_EQ(Verdict(server.Client().Get("/families")), "200");
  EXPECT_EQ(Verdict(server.Client().Get("/healthz")), "200");
  EXPECT_THAT(server.Client().Get("/metrics").body,
              testing::HasSubstr("\ntunehub_database_reachable 0\n"));
}

TEST(DatabaseGoneTest, reads_go_on_with_a_warning_and_writes_are_503_until_it_is_back) {
  TestCluster cluster;
  const std::string database = cluster.NewDatabase();
  ServerProcess server({.database = database});
  const std::string key = server.NewKey("submit");
  const HttpClient submitter = server.Client(key);
  const std::string table = kHeader + Row(1, "5.0") + Row(2, "6.0");
  ASSERT_EQ(Verdict(submitter.Post(kResults, table)), "200");
  ASSERT_EQ(server.Client().Get(kTable).Header("warning"), "");
  const std::string receipt = submitter.Post(kResults, table, {{"Idempotency-Key", "before"}}).body;

  KillPostmaster(database);
  ASSERT_EQ(Eventually("503 database_unavailable", [&] { return server.Client().Get("/readyz"); }),
            "503 database_unavailable");
  EXPECT_NE(server.Client().Get("/readyz").Header("retry-after"), "");
  ExpectReadsFromMemory(server, table);
  for (const std::string& target : {kResults, std::string("/runs")}) {
    const RawAnswer refused =
        submitter.Post(target, target == "/runs" ? R"({"started":"2026-01-31T12:00:00Z"})"
                                                 : kHeader + Row(3, "7.0"));
    EXPECT_EQ(Verdict(refused), "503 database_unavailable") << refused.body;
    EXPECT_NE(refused.Header("retry-after"), "");
  }
  for (const char* target : {"/runs", "/revisions", "/bundle"}) {
    EXPECT_EQ(Verdict(server.Client().Get(target)), "503 database_unavailable") << target;
  }
  EXPECT_EQ(Verdict(server.Client("thub_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa").Post(kResults, table)),
            "503 database_unavailable");

  ASSERT_TRUE(cluster.cluster().Restart());
  ASSERT_TRUE(server.AwaitReady());
  EXPECT_EQ(server.Client().Get(kTable).Header("warning"), "");
  EXPECT_EQ(submitter.Post(kResults, table, {{"Idempotency-Key", "before"}}).body, receipt);
  EXPECT_EQ(Verdict(submitter.Post(kResults, kHeader + Row(3, "7.0"))), "200");
  EXPECT_EQ(server.Client().Get(kTable).body, table + Row(3, "7.0"));
  EXPECT_EQ(server.Stop(), 0);
}

TEST(DatabaseGoneTest, a_server_brings_its_own_postgresql_back) {
  const TempDir dir;
  ServerProcess server({.data = dir.path()});
  const HttpClient submitter = server.Client(server.NewKey("submit"));
  ASSERT_EQ(Verdict(submitter.Post(kResults, kHeader + Row(1, "5.0"))), "200");
  EXPECT_EQ(Verdict(server.Client().Get(kTable)), "200");  // the server knows the rows now
  EXPECT_FALSE(JsonOf(server.Client().Get("/readyz?data=1")).contains("data"));
  for (int round = 2; round < 4; ++round) {
    const std::string database = embedded::RunningOn(dir.path()).value();
    KillPostmaster(database);
    const std::string table = kHeader + Row(round, "5.0");
    EXPECT_EQ(Eventually("200", [&] { return submitter.Post(kResults, table); }), "200");
    EXPECT_TRUE(server.Lives());
    // A batch may reach a backend that has not yet noticed the death of its postmaster.
    ASSERT_TRUE(AwaitPostmaster(database));
  }
  // For a moment the last snapshot may still answer: with a stale table, or with 503 if it lacks
  // the row.
  RawAnswer answer;
  EXPECT_TRUE(Comes([&] {
    answer = server.Client().Get(kTable);
    return answer.status != 503 && answer.Header("warning").empty();
  }));
  EXPECT_EQ(answer.body, kHeader + Row(1, "5.0") + Row(2, "5.0") + Row(3, "5.0"));
  EXPECT_EQ(server.Stop(), 0);
}

TEST(DatabaseGoneTest, with_reads_by_key_a_known_key_still_reads) {
  TestCluster cluster;
  const std::string database = cluster.NewDatabase();
  ServerProcess server({.database = database, .environment = {{"TUNEHUB_READS", "key"}}});
  const std::string key = server.NewKey("read");
  Good(server.Client(server.NewKey("submit")).Post(kResults, kHeader + Row(1, "5.0")));
  EXPECT_EQ(Verdict(server.Client().Get(kTable)), "401 no_key");
  ASSERT_EQ(Verdict(server.Client(key).Get(kTable)), "200");
  KillPostmaster(database);
  ASSERT_EQ(Eventually("503 database_unavailable", [&] { return server.Client().Get("/readyz"); }),
            "503 database_unavailable");
  const RawAnswer answer = server.Client(key).Get(kTable);
  EXPECT_EQ(answer.body, kHeader + Row(1, "5.0"));
  EXPECT_EQ(answer.Header("warning"), kStale);
  ASSERT_TRUE(cluster.cluster().Restart());
  EXPECT_TRUE(server.AwaitReady());
}

}  // namespace
}  // namespace tunehub::test
