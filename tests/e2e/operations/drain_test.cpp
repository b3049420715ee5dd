// How a server stops: it tells its clients, answers the requests in flight, and then cancels
// statements that wait for a lock.
#include <chrono>
#include <csignal>
#include <future>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/comes.h"
#include "tests/support/held_tables.h"
#include "tests/support/metrics.h"
#include "tests/support/postmaster.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

const std::map<std::string, std::string> kShortDrain = {{"TUNEHUB_DRAIN_MS", "500"}};
const Headers kCsv = {{"Content-Type", "text/csv"}};

TEST(DrainTest, a_statement_that_a_lock_holds_is_cancelled_and_the_server_ends_in_time) {
  const std::string database = NewDatabase();
  ServerProcess server({.database = database, .environment = kShortDrain});
  const auto client = server.Client(server.NewKey("submit"));
  ASSERT_EQ(Verdict(client.Post(kResults, kHeader + Row(1, "7.5"), kCsv)), "200");
  HeldTables tables(database, "measurement");
  auto held = std::async(std::launch::async, [&] {
    return client.Try("POST", kResults, kHeader + Row(2, "7.5"), kCsv);
  });
  ASSERT_TRUE(tables.Holds());
  EXPECT_EQ(server.Stop(seconds(60)), 0)
      << "it must end after the drain, not by force: " << server.Log();
  const auto answer = held.get();
  EXPECT_TRUE(!answer || Verdict(*answer) == "503 database_unavailable") << answer->body;
  EXPECT_EQ(tables.Count("application_name = 'tunehub'"), "0") << "no session may remain";
  tables.End();
  EXPECT_EQ(QueryText(database, "SELECT count(*) FROM measurement"), "1");
}

// The database does not answer a cancel request, so the process ends by force.
TEST(DrainTest, a_database_that_is_silent_does_not_keep_it) {
  TestCluster cluster;
  const std::string database = cluster.NewDatabase();
  ServerProcess server({.database = database, .environment = kShortDrain});
  const auto client = server.Client(server.NewKey("submit"));
  auto frozen = std::make_unique<FrozenPostmaster>(database);
  auto held = std::async(std::launch::async, [&] {
    return client.Try("POST", kResults, kHeader + Row(2, "7.5"), kCsv);
  });
  ASSERT_TRUE(Comes([&] {
    return Metrics(server.Client()).Of("tunehub_pool_busy_threads{pool=\"writes\"}") == 1;
  }));
  const int status = server.Stop(seconds(60));
  frozen.reset();
  EXPECT_EQ(status, 2);
  EXPECT_THAT(server.Log(), testing::HasSubstr("this server did not stop in time"));
  held.get();
}

TEST(DrainTest, a_lame_duck_serves_and_says_that_it_will_not_for_long) {
  ServerProcess server(
      {.database = NewDatabase(), .environment = {{"TUNEHUB_LAME_DUCK_MS", "7000"}}});
  for (const char* what : {"/readyz", "/readyz?for=read", "/readyz?for=write"})
    EXPECT_EQ(Verdict(server.Client().Get(what)), "200") << what;
  const auto begin = Clock::now();
  ::kill(server.pid(), SIGTERM);
  ASSERT_TRUE(Comes([&] { return Verdict(server.Client().Get("/readyz")) == "503 stopping"; }));
  for (const char* what : {"/readyz?for=read", "/readyz?for=write"})
    EXPECT_EQ(Verdict(server.Client().Get(what)), "503 stopping") << what;
  EXPECT_EQ(Verdict(server.Client().Get("/families")), "200") << "it serves";
  EXPECT_EQ(server.Stop(seconds(60)), 0) << "a second signal ends the drain";
  EXPECT_LT(Clock::now() - begin, seconds(7));
}

TEST(ReadinessTest, a_database_set_to_read_only_is_ready_for_reads_alone) {
  const std::string database = NewDatabase();
  ServerProcess server({.database = database});
  const std::string name = DatabaseName(database);
  Execute(database, "ALTER DATABASE " + name + " SET default_transaction_read_only = on");
  Execute(database, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" +
                        name + "' AND application_name = 'tunehub'");
  const auto client = server.Client();
  EXPECT_TRUE(Comes([&] {
    return Verdict(client.Get("/readyz?for=write")) == "503 database_unavailable" &&
           Verdict(client.Get("/readyz?for=read")) == "200";
  }));
  EXPECT_TRUE(Comes(
      [&] { return client.Get("/readyz").body.find("accepts no writes") != std::string::npos; }));
  EXPECT_EQ(Verdict(client.Get("/readyz?for=both")), "503 database_unavailable");
  EXPECT_EQ(Verdict(client.Get("/readyz?for=all")), "400 bad_parameter");
  EXPECT_EQ(Verdict(client.Get("/readyz?x=1")), "400 unknown_parameter");
}

}  // namespace
}  // namespace tunehub::test
