// Behind a real PgBouncer, a server works in session mode. In other modes it refuses to start and
// gives the reason.
#include "tests/e2e/hub_fixture.h"
#include "tests/support/pg_bouncer.h"

namespace tunehub::test {
namespace {

Finished Tunehub(const std::string& command, const std::string& database) {
  return RunToEnd(
      {ServerBinary(), {command, "--database", database}, {{"TUNEHUB_LISTEN", "127.0.0.1:0"}}});
}

TEST(PoolerTest, one_that_lends_sessions_by_the_transaction_is_refused_with_a_sentence) {
  const std::string database = NewDatabase();
  ASSERT_EQ(Tunehub("migrate", database).status, 0);
  const PgBouncer pooler(database, "transaction");
  for (const char* command : {"serve", "migrate"}) {
    const Finished ended = Tunehub(command, pooler.connection_string());
    EXPECT_EQ(ended.status, 2) << command;
    EXPECT_THAT(ended.err,
                HasSubstr("pooled_database: a pooler is between the server and the database"));
    EXPECT_THAT(ended.err, HasSubstr("pool_mode = session"));
  }
}

TEST(PoolerTest, one_that_lends_whole_sessions_serves) {
  const PgBouncer pooler(NewDatabase(), "session");
  ServerProcess server({.database = pooler.connection_string()});
  Good(server.Client(server.NewKey("submit"))
           .Post(kResults, kHeader + Row(16, "7.5"), {{"Content-Type", "text/csv"}}));
  EXPECT_TRUE(server.AwaitReady());
}

}  // namespace
}  // namespace tunehub::test
