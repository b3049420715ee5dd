#include "server/db/connection_pool.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <atomic>
#include <thread>

#include "server/db/failures.h"
#include "server/tables/heuristics.h"
#include "tests/support/comes.h"
#include "tests/support/registry.h"
#include "tests/support/sql.h"
#include "tests/support/tcp_relay.h"
#include "tests/support/test_cluster.h"

namespace tunehub::server {
namespace {

using std::chrono::milliseconds;

std::string Ask(pqxx::connection& connection, const std::string& sql) {
  pqxx::nontransaction work(connection);
  return work.exec1(sql)[0].as<std::string>();
}

std::string Ask(ConnectionPool& pool, const std::string& sql) {
  return pool.With([&](pqxx::connection& connection) { return Ask(connection, sql); });
}

void Terminate(const std::string& url) {
  test::Execute(test::SharedCluster().cluster().ConnectionString(),
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" +
                    test::DatabaseName(url) + "'");
}

// If each stream took a second connection, streams could deadlock until they time out.
TEST(Pool, a_stream_of_lines_of_older_versions_needs_one_connection_alone) {
  test::Registry older;
  older.Send(test::Csv({{}, {.kernel = "b", .us = "20"}}));
  const test::Registry newer(older.url, test::FamiliesWith("a8w8_blockscale", [](auto& json) {
                               json["error_limit"] = 0.1;
                             }));
  ConnectionPool pool(older.url, {.size = 1});
  server::FamilyVersions versions(pool);
  int losers = 0;
  server::ForEachLoser(newer.definitions, pool, versions, newer.family(), {},
                       [&](const TimeRecord&) { ++losers; });
  EXPECT_EQ(losers, 1);
}

// libpqxx would reconnect by itself, but would lose the session's settings.
TEST(Pool, a_broken_connection_is_dropped_and_the_next_has_its_settings) {
  const std::string url = test::NewDatabase();
  ConnectionPool pool(url, {.size = 1});
  const std::string first = Ask(pool, "SELECT pg_backend_pid()");
  EXPECT_EQ(Ask(pool, "SELECT pg_backend_pid()"), first) << "connections are kept";
  Terminate(url);
  EXPECT_THROW(Ask(pool, "SELECT 1"), Unavailable);
  EXPECT_NE(Ask(pool, "SELECT pg_backend_pid()"), first);
  EXPECT_EQ(Ask(pool, "SHOW statement_timeout"), "2min");
  EXPECT_EQ(Ask(pool, "SHOW application_name"), "tunehub");
}

// Otherwise, after a restart of the database, each idle connection would make one request fail.
TEST(Pool, the_idle_go_with_the_one_that_broke) {
  const std::string url = test::NewDatabase();
  ConnectionPool pool(url, {.size = 3});
  pool.With([&](pqxx::connection&) {
    return pool.With([&](pqxx::connection&) { return Ask(pool, "SELECT 1"); });
  });
  Terminate(url);
  EXPECT_THROW(Ask(pool, "SELECT 1"), Unavailable);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Ask(pool, "SELECT 1"), "1");
}

TEST(Pool, a_failed_transaction_leaves_nothing_for_the_next_user) {
  ConnectionPool pool(test::NewDatabase(), {.size = 1});
  EXPECT_THROW(Ask(pool, "SELECT 1/0"), pqxx::sql_error) << "the connection works";
  EXPECT_EQ(Ask(pool, "SELECT 1"), "1");
}

TEST(Pool, when_all_are_busy_the_next_user_waits_and_then_gives_up) {
  ConnectionPool pool(test::NewDatabase(), {.size = 1, .wait = milliseconds(50)});
  pool.With([&](pqxx::connection&) { EXPECT_THROW(Ask(pool, "SELECT 1"), Unavailable); });
  EXPECT_EQ(Ask(pool, "SELECT 1"), "1");
}

TEST(Pool, with_the_database_gone_callers_learn_so_at_once) {
  ConnectionPool pool("host=/nonexistent dbname=x",
                      {.size = 1, .retry_after = milliseconds(60'000)});
  for (int i = 0; i < 3; ++i) EXPECT_THROW(Ask(pool, "SELECT 1"), Unavailable);
}

std::string UriOf(const std::string& url) {
  std::string uri = "postgresql:///?";
  for (std::size_t begin = 0; begin < url.size();) {
    const std::size_t end = std::min(url.find(' ', begin), url.size());
    uri += (begin == 0 ? "" : "&") + url.substr(begin, end - begin);
    begin = end + 1;
  }
  return uri;
}

TEST(Pool, a_uri_gets_the_settings_that_it_does_not_make_itself) {
  const std::string uri = UriOf(test::NewDatabase());
  ConnectionPool pool(uri, {.size = 1});
  EXPECT_EQ(Ask(pool, "SHOW application_name"), "tunehub") << uri;
  EXPECT_EQ(Ask(pool, "SHOW client_encoding"), "UTF8");
  ConnectionPool own(uri + "&application_name=mine", {.size = 1});
  EXPECT_EQ(Ask(own, "SHOW application_name"), "mine");
}

// A connection that only listens sends nothing. By default, Linux would detect a dead peer after 2
// h.
TEST(Pool, the_kernel_asks_the_peer_of_an_idle_connection_whether_it_is_there) {
  test::TcpRelay relay(test::NewDatabase());  // only TCP has keepalives
  const ConnectionPool pool(relay.connection_string(), {.size = 1});
  const auto connection = pool.Open();
  const auto option = [&](int level, int name) {
    int value = -1;
    socklen_t size = sizeof value;
    ::getsockopt(connection->sock(), level, name, &value, &size);
    return value;
  };
  EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPIDLE), 10);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPINTVL), 5);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPCNT), 2);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_USER_TIMEOUT), 10'000);
}

// A session keeps its catalog cache until it ends, so it must not live for weeks.
TEST(Pool, a_connection_that_has_reached_its_age_is_replaced_used_or_not) {
  const std::string url = test::NewDatabase();
  ConnectionPool pool(url, {.size = 3, .max_age = milliseconds(3'000)});
  const auto sessions = [&] {
    return test::QueryText(url,
                           "SELECT count(*) FROM pg_stat_activity WHERE pid <> "
                           "pg_backend_pid() AND datname = current_database() AND "
                           "application_name = 'tunehub'");
  };
  std::string first;
  pool.With([&](pqxx::connection& connection) {
    first = Ask(connection, "SELECT pg_backend_pid()");
    return pool.With([&](pqxx::connection&) { return Ask(pool, "SELECT 1"); });
  });
  ASSERT_EQ(sessions(), "3");
  EXPECT_TRUE(test::Comes([&] {
    return Ask(pool, "SELECT pg_backend_pid()") != first && sessions() == "1";
  })) << "their processes end in a moment";
}

TEST(PoolRace, no_more_connections_than_its_size_and_none_used_twice_at_once) {
  ConnectionPool pool(test::NewDatabase(), {.size = 3, .wait = milliseconds(60'000)});
  std::atomic<int> inside = 0, most = 0, done = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 20; ++j) {
        pool.With([&](pqxx::connection& connection) {
          const int now = ++inside;
          for (int known = most; known < now && !most.compare_exchange_weak(known, now);) {
          }
          Ask(connection, "SELECT 1");
          --inside;
          return ++done;
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, 160);
  EXPECT_LE(most, 3);
}

}  // namespace
}  // namespace tunehub::server
