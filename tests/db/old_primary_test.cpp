// Two hosts act as primary: the old primary, which has returned, and the promoted standby. The hub
// keeps revisions that the old primary lacks.
#include <chrono>

#include "server/db/connection_pool.h"
#include "server/db/connection_url.h"
#include "server/db/listener.h"
#include "server/db/schema.h"
#include "server/snapshots/revision_store.h"
#include "tests/support/comes.h"
#include "tests/support/registry.h"
#include "tests/support/sql.h"
#include "tests/support/standby.h"
#include "tests/support/test_cluster.h"

namespace tunehub::test {
namespace {

using std::chrono::milliseconds;

class OldPrimary : public testing::Test {
 protected:
  OldPrimary() { Registry(old_).Send(Csv({{}})); }

  // Promotes the standby while the old primary continues.
  void Promote() {
    promoted_.Promote();
    ASSERT_TRUE(Comes([&] {
      return QueryText(promoted_.connection_string(), "SELECT pg_is_in_recovery()") == "f";
    }));
  }
  // Makes the host refuse writes and ends its sessions. The pool then skips the host as if it were
  // down.
  static void Leave(const std::string& url) { SetReadOnly(url, "on"); }
  static void Wake(const std::string& url) { SetReadOnly(url, "off"); }
  static void SetReadOnly(const std::string& url, const std::string& value) {
    std::string other = url;  // another database of the cluster, which stays writable
    server::Override(other, "dbname", "postgres");
    Execute(other, "ALTER DATABASE " + DatabaseName(url) +
                       " SET default_transaction_read_only = " + value);
    CutAll(url);
  }
  static void CutAll(const std::string& url) {
    Execute(url,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = "
            "current_database() AND pid <> pg_backend_pid()");
  }
  std::string Both() const {
    std::string url = old_;
    server::Override(url, "host", WordOf(old_, "host") + "," + promoted_.socket_dir());
    server::Override(url, "port", "5432,5432");
    return url;
  }
  static std::string Migrated(std::string url) {
    server::ConnectionPool pool(url);
    if (!server::Schema(pool).Migrate().ok()) throw std::runtime_error("no schema");
    return url;
  }

  TestCluster cluster_;
  const std::string old_ = Migrated(cluster_.NewDatabase());
  const Standby promoted_{old_};
  const std::string where_ = "SHOW unix_socket_directories";
};

TEST_F(OldPrimary, that_wakes_up_takes_no_revision_away) {
  Registry registry(Both());
  registry.snapshots.Start();
  Promote();
  Leave(old_);
  ASSERT_TRUE(Comes([&] { return Reachable(registry.pool) && !registry.snapshots.stale(); }));
  ASSERT_EQ(Refusal(registry.Send(Csv({{.m = 32}}))), "");
  const core::Pin second = server::RevisionStore(registry.pool).ReadHeads().revision;
  ASSERT_EQ(registry.Table(), Csv({{}, {.m = 32}}));

  Wake(old_);
  CutAll(promoted_.connection_string());
  ASSERT_TRUE(Comes([&] { return Reachable(registry.pool) && !registry.snapshots.stale(); }));
  EXPECT_EQ(registry.Table(), Csv({{}, {.m = 32}})) << "the promoted host's table";
  EXPECT_EQ(registry.snapshots.Current()->revision, second);
  EXPECT_EQ(Refusal(registry.Send(Csv({{.m = 64}}))), "");
  EXPECT_EQ(QueryText(old_, "SELECT max(number) FROM revision"), "1");

  // Now the old primary is the only host that takes writes.
  const core::Pin third = server::RevisionStore(registry.pool).ReadHeads().revision;
  registry.snapshots.Refresh();
  Leave(promoted_.connection_string());
  ASSERT_TRUE(Comes([&] { return registry.snapshots.stale(); }));
  for (int i = 0; i < 20; ++i) {
    EXPECT_THROW(registry.snapshots.Refresh(), server::Unavailable);
    EXPECT_THROW(server::RevisionStore(registry.pool).Find(second), server::Unavailable)
        << "the hub must not answer 410 (gone)";
    EXPECT_EQ(registry.snapshots.Current()->revision, third);
    EXPECT_EQ(registry.snapshots.Current()->era, 0);
  }
  EXPECT_TRUE(registry.snapshots.stale());
  Wake(promoted_.connection_string());
  EXPECT_TRUE(Comes([&] { return !registry.snapshots.stale(); }));
  EXPECT_TRUE(server::RevisionStore(registry.pool).Find(second).ok());
}

// The pool opened these connections before the promotion.
TEST_F(OldPrimary, is_not_believed_by_those_who_asked_before_the_other_was_there) {
  server::ConnectionPool pool(Both(), {.size = 3});
  server::Listener listener(pool);
  listener.AwaitChange(0);
  const std::string old_folder = QueryText(pool, where_);
  Promote();
  const auto learn_of_the_other = [&](pqxx::connection& connection) {
    pqxx::nontransaction work(connection);
    work.exec("ALTER DATABASE " + DatabaseName(old_) +
              " SET default_transaction_read_only = on");  // for new connections
    EXPECT_NE(QueryText(pool, where_), old_folder);
    return 0;
  };
  EXPECT_THROW(pool.With(learn_of_the_other), server::Unavailable)
      << "the answer comes from the old primary";
  EXPECT_EQ(pool.figures().open, 1U) << "the pool closed idle connections to the old primary";
  EXPECT_FALSE(listener.AwaitChange(0) && listener.AwaitChange(0))
      << "the listener reconnects once";
  Execute(promoted_.connection_string(), "NOTIFY tunehub");
  EXPECT_TRUE(listener.AwaitChange(5'000)) << "at the promoted host";
}

// The last host can look like an old primary: a base backup that started without recovery.
TEST_F(OldPrimary, that_is_all_there_is_for_long_is_the_database) {
  server::ConnectionPool pool(
      Both(), {.size = 1, .retry_after = milliseconds(50), .old_primary = milliseconds(1'500)});
  const std::string old_folder = QueryText(pool, where_);
  Promote();
  Leave(old_);
  EXPECT_THROW(QueryText(pool, where_), server::Unavailable) << "cut";
  ASSERT_NE(QueryText(pool, where_), old_folder);
  Wake(old_);
  Leave(promoted_.connection_string());
  EXPECT_THROW(QueryText(pool, where_), server::Unavailable) << "cut";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(QueryText(pool, where_), server::Unavailable);
  EXPECT_TRUE(Comes([&] {
    try {
      return QueryText(pool, where_) == old_folder;
    } catch (const server::Unavailable&) {
      return false;
    }
  }));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(1'400));
}

TEST(Timeline, is_known_to_an_ordinary_role_unless_somebody_took_that_away) {
  const std::string owner = NewDatabase();
  Execute(owner, "CREATE ROLE plain LOGIN");
  std::string url = owner;
  server::Override(url, "user", "plain");
  const auto timeline = [&] {
    server::WatchedConnection connection(url);
    connection.AskTimeline();
    return connection.timeline();
  };
  EXPECT_EQ(timeline().number, 1);
  EXPECT_EQ(timeline().system,
            QueryText(owner, "SELECT system_identifier FROM pg_control_system()"));
  Execute(owner, "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC");
  EXPECT_EQ(timeline().number, 0);
  EXPECT_EQ(timeline().system, "");
}

}  // namespace
}  // namespace tunehub::test
