// If the database hangs while its host's kernel still answers, waiting requests fail. A slow
// statement continues.
#include "server/db/host_watch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "server/db/connection_pool.h"
#include "server/db/connection_url.h"
#include "server/db/failures.h"
#include "server/db/listener.h"
#include "tests/support/postmaster.h"
#include "tests/support/sql.h"
#include "tests/support/test_cluster.h"

namespace tunehub::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

// Shorter than the server's times: a check every second, with a timeout of three seconds.
constexpr WatchTimes kQuick{milliseconds(100), milliseconds(500), milliseconds(1'000)};

class PoolWatch : public testing::Test {
 protected:
  test::TestCluster cluster_;
  const std::string url_ = cluster_.NewDatabase();
};

TEST_F(PoolWatch, whoever_waits_for_a_host_that_hangs_gets_free_and_so_do_the_idle) {
  ConnectionPool pool(url_, {.size = 3, .watch = kQuick});
  Listener listener(pool);
  ASSERT_TRUE(listener.AwaitChange(0));
  pool.With([&](pqxx::connection&) { return test::QueryText(pool, "SELECT 1"); });
  std::future<void> asked;  // ready at the latest when the postmaster continues
  {
    const test::FrozenPostmaster frozen(url_);
    asked = std::async(std::launch::async, [&] { test::QueryText(pool, "SELECT 1"); });
    ASSERT_EQ(asked.wait_for(seconds(15)), std::future_status::ready);
    EXPECT_THROW(asked.get(), Unavailable);
    EXPECT_EQ(pool.figures().open, 0U) << "the pool also closed the idle connection";
    EXPECT_THROW(listener.AwaitChange(60'000), Unavailable);
  }
  EXPECT_EQ(test::QueryText(pool, "SELECT 1"), "1") << "the pool reconnects";
  EXPECT_TRUE(listener.AwaitChange(0));
}

TEST_F(PoolWatch, a_statement_that_takes_long_is_not_cut) {
  ConnectionPool pool(url_, {.size = 1, .watch = kQuick});
  EXPECT_EQ(test::QueryText(pool, "SELECT pg_sleep(2)"), "");
  EXPECT_EQ(pool.figures().open, 1U);
}

// A refused connection also counts as an answer.
TEST_F(PoolWatch, a_host_that_refuses_more_connections_does_not_hang) {
  ConnectionPool pool(url_, {.size = 1, .watch = kQuick});
  test::QueryText(pool, "SELECT 1");
  test::Execute(cluster_.cluster().ConnectionString(),
                "ALTER DATABASE " + test::DatabaseName(url_) + " ALLOW_CONNECTIONS false");
  EXPECT_EQ(test::QueryText(pool, "SELECT pg_sleep(2)"), "");
}

TEST_F(PoolWatch, of_several_hosts_the_next_connection_goes_to_another) {
  test::TestCluster other;
  const std::string second = other.NewDatabase();
  std::string both = url_;
  Override(both, "host", test::WordOf(url_, "host") + "," + test::WordOf(second, "host"));
  Override(both, "port", test::WordOf(url_, "port") + "," + test::WordOf(second, "port"));
  Override(both, "connect_timeout", "60");
  ASSERT_EQ(test::WordOf(url_, "dbname"), test::WordOf(second, "dbname"));
  ConnectionPool pool(both, {.size = 2, .watch = kQuick});
  const std::string where = "SHOW unix_socket_directories";
  const std::string first_host = test::QueryText(pool, where);
  const test::FrozenPostmaster frozen(url_);
  EXPECT_THROW(test::QueryText(pool, where), Unavailable);
  const auto begin = Clock::now();
  EXPECT_NE(test::QueryText(pool, where), first_host);
  EXPECT_LT(Clock::now() - begin, seconds(60)) << "the pool does not try the hanging host first";
}

TEST(SeveralHosts, those_named_come_last_with_their_ports) {
  const auto hosts = [](const std::string& url) {
    std::string names;
    for (const OneHost& it : HostsOf(url)) names += it.name + " ";
    return names;
  };
  for (const std::string& url : {std::string("postgresql://a:1,b:2,c:3/x?connect_timeout=2"),
                                 std::string("host=a,b,c port=1,2,3 dbname=x")}) {
    EXPECT_EQ(hosts(url), "a:1 b:2 c:3 ");
    EXPECT_EQ(hosts(WithLast(url, {"a:1"})), "b:2 c:3 a:1 ");
    EXPECT_EQ(hosts(WithLast(url, {"b:2", "a:1"})), "c:3 a:1 b:2 ");
    EXPECT_EQ(hosts(WithLast(url, {"d:4"})), "a:1 b:2 c:3 ");
  }
  EXPECT_EQ(WithLast("host=a port=1", {"a:1"}), "host=a port=1");
}

}  // namespace
}  // namespace tunehub::server
