// If a database hangs while its connections stay open (a stuck disk, for example), the server
// reports it and answers from memory.
#include <chrono>
#include <thread>
#include <vector>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/comes.h"
#include "tests/support/metrics.h"
#include "tests/support/postmaster.h"

namespace tunehub::test {
namespace {

using std::chrono::seconds;

class SilentDatabaseTest : public testing::Test {
 protected:
  SilentDatabaseTest() {
    Good(Client().Post(kResults, kHeader + Row(1, "7.5"), {{"Content-Type", "text/csv"}}));
    for (const char* asked : {kTable.c_str(), "/tuned"}) EXPECT_EQ(Verdict(Get(asked)), "200");
  }

  HttpClient Client() { return server_.Client(key_); }
  RawAnswer Get(const std::string& target) { return Client().Get(target); }
  bool Says(const std::string& target, const std::string& verdict, seconds limit) {
    return Comes([&] { return Verdict(Get(target)) == verdict; }, limit);
  }

  TestCluster cluster_;
  const std::string database_ = cluster_.NewDatabase();
  ServerProcess server_{{.database = database_}};
  const std::string key_ = server_.NewKey("submit");
};

// While the database hangs, no statement fails. So the server must notice the silence itself.
TEST_F(SilentDatabaseTest, is_stale_after_seconds_not_ready_for_writes_and_answers_what_it_has) {
  const std::string pin = JsonOf(Get("/readyz")).at("pin");
  {
    const FrozenPostmaster frozen(database_);
    EXPECT_TRUE(Says("/readyz?for=write", "503 database_unavailable", seconds(8)));
    EXPECT_EQ(Verdict(Get("/readyz")), "503 database_unavailable");
    EXPECT_EQ(Verdict(Get("/readyz?for=read")), "200");
    EXPECT_EQ(Metrics(Client()).Of("tunehub_database_reachable"), 0);
    EXPECT_GE(AwaitMetric(Client(), "tunehub_snapshot_age_seconds", 3), 3);
    EXPECT_TRUE(Metrics(Client()).Has("tunehub_database_bytes"))
        << "the server must repeat the last value";
    for (const std::string& asked : {kTable, kTable + "&min_revision=" + pin,
                                     kTable + "&min_revision=1", std::string("/tuned")}) {
      const RawAnswer answer = Get(asked);
      EXPECT_EQ(Verdict(answer), "200") << asked;
      EXPECT_THAT(answer.Header("warning"), testing::HasSubstr("110")) << asked;
    }
  }
  for (const char* what : {"/readyz?for=write", "/readyz"})
    EXPECT_TRUE(Says(what, "200", seconds(60))) << what;
  EXPECT_EQ(Get(kTable).Header("warning"), "");
  EXPECT_TRUE(Comes([&] { return Metrics(Client()).Of("tunehub_snapshot_age_seconds") < 3; }));
}

TEST_F(SilentDatabaseTest, whoever_needs_it_is_told_so_instead_of_waiting) {
  ASSERT_TRUE(Metrics(Client()).Has("tunehub_database_bytes"));
  std::vector<std::jthread> waiting;
  {
    const FrozenPostmaster frozen(database_);
    // More requests wait for the database than the server has threads for reads.
    for (int i = 0; i < 6; ++i) waiting.emplace_back([&] { Client().Try("GET", "/runs"); });
    EXPECT_GE(AwaitMetric(Client(), "tunehub_pool_waiting_requests{pool=\"reads\"}", 3), 3);
    const auto begin = std::chrono::steady_clock::now();
    const Metrics metrics(Client());
    EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(5)) << "/metrics must not wait";
    EXPECT_GE(metrics.Of("tunehub_database_connections_in_use"), 1);
    EXPECT_GE(metrics.Of("tunehub_pool_busy_threads{pool=\"reads\"}"), 1);
    for (const char* asked : {"/runs", "/changes"}) {
      const auto is_refused = [&] {
        const auto answer = Client().Try("GET", asked);  // this client's timeout is shorter
        return answer && Verdict(*answer) == "503 database_unavailable";
      };
      EXPECT_TRUE(Comes(is_refused, seconds(25))) << asked;
    }
    EXPECT_TRUE(Comes([&] { return server_.Log().find("does not respond") != std::string::npos; }))
        << server_.Log();
  }
  EXPECT_TRUE(Says("/readyz", "200", seconds(60)));
  EXPECT_EQ(Verdict(Get("/runs")), "200");
  Good(Client().Post(kResults, kHeader + Row(2, "7.5"), {{"Content-Type", "text/csv"}}));
}

}  // namespace
}  // namespace tunehub::test
