// Snapshots in memory follow every writer and survive an outage of the database.
#include "server/snapshots/snapshots.h"

#include <atomic>
#include <thread>

#include "server/db/connection_pool.h"
#include "server/db/listener.h"
#include "sql.h"
#include "tests/support/comes.h"
#include "tests/support/registry.h"
#include "tests/support/result.h"
#include "tests/support/sql.h"
#include "tests/support/test_cluster.h"

namespace tunehub::test {
namespace {

// Simulates an outage: the database ends all connections and accepts no new ones.
class Outage {
 public:
  explicit Outage(const std::string& url) : name_(DatabaseName(url)) {
    Do("ALTER DATABASE " + name_ + " ALLOW_CONNECTIONS false");
    Do("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name_ + "'");
  }
  ~Outage() { Do("ALTER DATABASE " + name_ + " ALLOW_CONNECTIONS true"); }
  Outage(const Outage&) = delete;
  Outage& operator=(const Outage&) = delete;

 private:
  static void Do(const std::string& sql) {
    Execute(SharedCluster().cluster().ConnectionString(), sql);
  }
  const std::string name_;
};

TEST(Snapshots, listen_hears_the_commit_of_another_server) {
  Registry writer;
  Registry reader(writer.url);
  server::Listener listener(reader.pool);
  EXPECT_TRUE(listener.AwaitChange(0)) << "changes before the first wait";
  EXPECT_FALSE(listener.AwaitChange(0));
  writer.Send(Csv({{}}), {.dry_run = true});
  EXPECT_FALSE(listener.AwaitChange(50)) << "nothing was committed";
  writer.Send(Csv({{}}));
  EXPECT_TRUE(listener.AwaitChange(20'000));
}

// After the server has published a newer snapshot, no reactor may answer from an older snapshot.
TEST(SnapshotsRace, a_read_from_memory_after_an_own_write_never_misses_it) {
  Registry registry;
  registry.snapshots.Start();
  const core::Family& family = registry.family();
  for (int i = 1; i <= 40; ++i) {
    registry.Send(Csv({{.m = i}}));
    // Reads without a pause until the server publishes the snapshot. Until then there may be no
    // row.
    std::optional<core::Result<server::Served>> served;
    while (!(served && served->ok()) && registry.snapshots.Current()->revision.number < i) {
      served = registry.tables.Find(family, {}, server::Encoding::kIdentity);
    }
    ASSERT_TRUE(!served || (served->ok() && (*served)->revision.number == i)) << "wrote " << i;
    ASSERT_EQ(registry.Get()->revision.number, i);  // this read caches the answer
  }
}

std::string ManyRows() {
  std::vector<Line> lines;
  for (int m = 1; m <= 4'000; ++m) lines.push_back({.m = m});
  return Csv(lines);
}

// Commits arrive while the server reads a snapshot. The server still publishes that snapshot.
TEST(SnapshotsRace, commits_that_never_pause_are_served_while_they_come) {
  constexpr int kMostCommits = 60, kEnough = 10;
  Registry reader;
  reader.Send(ManyRows());
  reader.snapshots.Start();
  std::atomic<int> published{0};
  std::atomic<bool> ended{false};
  const auto write = [&](int first) {
    Registry writer(reader.url);
    for (int i = 0; i < kMostCommits && published < kEnough; ++i) {
      writer.Send(Csv({{.m = 1 + i % 8, .us = std::to_string(first - i)}}));
    }
  };
  std::thread one(write, 1'000), other(write, 5'000);
  std::thread watch([&] {
    core::Pin last = reader.snapshots.Current()->revision;
    while (!ended && published < kEnough) {
      const core::Pin now = reader.snapshots.Current()->revision;
      if (now != last) ++published;
      last = now;
      std::this_thread::yield();
    }
  });
  one.join();
  other.join();
  ended = true;
  watch.join();
  EXPECT_GE(published, kEnough);
  const std::int64_t newest = reader.Revision();
  EXPECT_TRUE(Comes([&] { return reader.snapshots.Current()->revision.number == newest; }));
  EXPECT_EQ(reader.Table("allow_empty=1"), Registry(reader.url).Table("allow_empty=1"));
}

// If only VACUUM updated the index, each commit would read all rows since the last VACUUM.
TEST(Snapshots, of_a_commit_read_what_it_changed_however_much_came_before) {
  Registry registry;
  registry.Send(ManyRows());
  registry.Send(Csv({{.m = 5'000}}));
  server::ConnectionPool pool(registry.url, {});
  const auto connection = pool.Open();
  pqxx::work work(*connection);
  const auto newest = work.exec1("SELECT max(id) FROM batch")[0].as<std::int64_t>();
  const auto family = registry.definitions.Id(registry.family());
  EXPECT_EQ(work.exec_params(std::string(server::sql::read_changed), family, newest - 1).size(),
            1u);
  const auto read = work.exec1(
      "SELECT sum(seq_tup_read + idx_tup_fetch) FROM pg_stat_xact_user_tables "
      "WHERE relname IN ('tuned', 'measurement')");
  EXPECT_LE(read[0].as<int>(), 10);
}

// If the database dies right after a commit, "no rows" would be a wrong answer.
TEST(Snapshots, what_is_committed_and_not_read_back_is_never_said_not_to_be_there) {
  Registry registry;
  registry.snapshots.Refresh();
  registry.Send(Csv({{}}));  // the server has not read this commit back
  EXPECT_THROW(registry.Get(), server::Unavailable);
  registry.snapshots.Refresh();
  ASSERT_EQ(registry.Get()->table->rows, 1u);
  EXPECT_FALSE(registry.Get()->stale);
  registry.Send(Csv({{.m = 32}}));
  const auto behind = Must(registry.Get());
  EXPECT_TRUE(behind.stale);
  EXPECT_EQ(behind.table->rows, 1u);
}

// The same must hold if a cached answer says "no rows".
TEST(Snapshots, no_rows_of_before_is_not_said_of_what_is_not_read_back) {
  Registry registry;
  registry.snapshots.Start();
  const core::Family& family = registry.family();
  const auto query = server::ParseTunedQuery(family, registry.definitions.targets, {});
  const auto find = [&] {
    return registry.tables.Find(family, *query, server::Encoding::kIdentity);
  };
  EXPECT_EQ(registry.Get().error().code, "no_rows");
  const Outage outage(registry.url);
  ASSERT_TRUE(Comes([&] { return registry.snapshots.stale(); }));
  const auto kept = find();
  ASSERT_TRUE(kept && !kept->ok());
  registry.snapshots.Expect({registry.snapshots.Current()->revision.number + 1, {}});
  EXPECT_FALSE(find());
  EXPECT_THROW(registry.Get(), server::Unavailable);
}

// Otherwise a revoked key would stay valid if the database fails right after the notification.
TEST(Snapshots, what_could_not_be_read_after_a_notification_is_read_later) {
  Registry registry;
  std::atomic<int> calls = 0, done = 0;
  registry.snapshots.OnChange([&] {
    if (++calls == 2) throw server::Unavailable("the database is gone");
    ++done;
  });
  registry.snapshots.Start();
  ASSERT_TRUE(Comes([&] { return done == 1; }));
  registry.Send(Csv({{}}));
  EXPECT_TRUE(Comes([&] { return done == 2; }));
}

}  // namespace
}  // namespace tunehub::test
