// The schema's version.
#include <gtest/gtest.h>

#include <thread>

#include "server/store/store.h"
#include "tests/support/sql.h"
#include "tests/support/test_cluster.h"

namespace tunehub::store {
namespace {

TEST(Migrations, are_applied_once) {
  Store store(test::NewDatabase());
  const auto first = store.Migrate();
  ASSERT_TRUE(first.ok());
  EXPECT_GT(*first, 0);
  EXPECT_EQ(*store.Migrate(), 0);
  EXPECT_TRUE(store.CheckSchema().ok());
}

TEST(MigrationsRace, two_servers_at_once_apply_each_once) {
  const std::string url = test::NewDatabase();
  int applied[2] = {};
  std::thread threads[2];
  for (int i = 0; i < 2; ++i) {
    threads[i] = std::thread([&, i] { applied[i] = *Store(url).Migrate(); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::to_string(applied[0] + applied[1]),
            test::QueryText(url, "SELECT count(*) FROM schema_version"));
}

TEST(Migrations, a_newer_schema_is_refused) {
  const std::string url = test::NewDatabase();
  Store store(url);
  ASSERT_TRUE(store.Migrate().ok());
  test::Execute(url, "INSERT INTO schema_version (version, name) VALUES (999, 'V999__later')");
  EXPECT_EQ(store.Migrate().error().code, "newer_schema");
  EXPECT_EQ(store.CheckSchema().error().code, "newer_schema");
}

TEST(Migrations, an_older_schema_is_told_and_not_touched_by_a_check) {
  const std::string url = test::NewDatabase();
  Store store(url);
  EXPECT_EQ(store.CheckSchema().error().code, "older_schema");
  EXPECT_EQ(test::QueryText(url, "SELECT count(*) FROM pg_class WHERE relname = 'measurement'"),
            "0");
  ASSERT_TRUE(store.Migrate().ok());
  test::Execute(
      url, "DELETE FROM schema_version WHERE version = (SELECT max(version) FROM schema_version)");
  EXPECT_EQ(store.CheckSchema().error().code, "older_schema");
}

}  // namespace
}  // namespace tunehub::store
