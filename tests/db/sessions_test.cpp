// Sessions through a real pooler, with a real standby, or with a cancel request that hangs.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <future>
#include <thread>

#include "server/db/connection_pool.h"
#include "server/db/database_state.h"
#include "server/db/failures.h"
#include "tests/support/cluster_process.h"
#include "tests/support/comes.h"
#include "tests/support/pg_bouncer.h"
#include "tests/support/result.h"
#include "tests/support/sql.h"
#include "tests/support/standby.h"
#include "tests/support/tcp_relay.h"
#include "tests/support/test_cluster.h"

namespace tunehub::server {
namespace {

using std::chrono::milliseconds;

std::string CheckOf(const std::string& url) {
  ConnectionPool pool(url, {.size = 1});
  return ErrorCode(CheckSessions(pool));
}

TEST(Sessions, a_pooler_that_lends_them_by_the_transaction_is_known) {
  const std::string database = test::NewDatabase();
  EXPECT_EQ(CheckOf(database), "");
  for (const char* more : {"", "server_round_robin = 1\n", "default_pool_size = 1\n",
                           "server_round_robin = 1\nmin_pool_size = 5\n"}) {
    for (const char* mode : {"transaction", "statement"}) {
      const test::PgBouncer pooler(database, mode, more);
      EXPECT_EQ(CheckOf(pooler.connection_string()), "pooled_database") << mode << " " << more;
    }
  }
  const test::PgBouncer pooler(database, "session");
  EXPECT_EQ(CheckOf(pooler.connection_string()), "");
}

TEST(Sessions, of_several_hosts_the_one_that_takes_writes_is_found_again) {
  const test::TempDir dir;
  test::ClusterProcess primary({.data_dir = dir.path(), .extra_settings = {{"fsync", "off"}}});
  test::Execute(primary.connection(), "CREATE TABLE t (n int)");
  const test::Standby standby(primary.connection());
  const std::string& from = primary.connection();
  const std::string hosts = standby.socket_dir() + "," + test::WordOf(from, "host");
  const std::string rest = "port=5432,5432 user=tunehub dbname=tunehub";
  ConnectionPool words("host=" + hosts + " " + rest, {.size = 1});
  ConnectionPool uri("postgresql:///tunehub?user=tunehub&port=5432,5432&host=" + hosts,
                     {.size = 1});
  ConnectionPool any("host=" + hosts + " " + rest + " target_session_attrs=any", {.size = 1});
  const std::string insert = "INSERT INTO t VALUES (1) RETURNING n";
  const test::TempDir services;
  const std::string file = services.path() / "pg_service.conf";
  std::ofstream(file) << "[hub]\nhost=" << hosts << "\n";
  ::setenv("PGSERVICEFILE", file.c_str(), 1);
  for (const std::string& url :
       {"host = '" + hosts + "' " + rest, "service=hub " + rest,
        std::string("postgresql:///tunehub?user=tunehub&port=5432,5432&service=hub")}) {
    ConnectionPool pool(url, {.size = 1});
    EXPECT_EQ(test::QueryText(pool, insert), "1") << url;
  }
  ::unsetenv("PGSERVICEFILE");
  EXPECT_EQ(test::QueryText(words, insert), "1");
  EXPECT_EQ(test::QueryText(uri, insert), "1");
  EXPECT_EQ(test::QueryText(any, "SELECT pg_is_in_recovery()"), "t")
      << "the URL itself allows a standby";
  EXPECT_THROW(test::QueryText(any, insert), Unavailable) << "SQLSTATE 25006";
  primary.Kill();
  standby.Promote();
  for (ConnectionPool* pool : {&words, &uri, &any}) {
    std::string got;
    test::Comes([&] {
      try {
        got = test::QueryText(*pool, insert);
      } catch (const Unavailable&) {
        return false;
      }
      return true;
    });
    EXPECT_EQ(got, "1");
  }
}

// A cancel request opens a connection to the database's host, which may not answer.
TEST(Sessions, a_cancel_that_hangs_holds_nobody_who_ends) {
  auto relay = std::make_unique<test::TcpRelay>(test::NewDatabase());
  ConnectionPool pool(relay->connection_string(), {.size = 1});
  std::promise<void> lent, silent;
  auto ends = std::async(std::launch::async, [&] {
    pool.With([&](pqxx::connection&) {
      lent.set_value();
      silent.get_future().wait();
      std::this_thread::sleep_for(milliseconds(200));  // the cancel is under way
      return 0;
    });
  });
  lent.get_future().wait();
  relay->StopAccepting();
  std::this_thread::sleep_for(milliseconds(100));  // time for the relay to notice
  auto abandons = std::async(std::launch::async, [&] { pool.Abandon(); });
  silent.set_value();
  EXPECT_EQ(ends.wait_for(std::chrono::seconds(60)), std::future_status::ready);
  EXPECT_EQ(abandons.wait_for(milliseconds(0)), std::future_status::timeout)
      << "the cancel request did not hang";
  relay.reset();
}

}  // namespace
}  // namespace tunehub::server
