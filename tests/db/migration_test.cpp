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
  const auto first = store.schema().Migrate();
  ASSERT_TRUE(first.ok());
  EXPECT_GT(*first, 0);
  EXPECT_EQ(*store.schema().Migrate(), 0);
  EXPECT_TRUE(store.schema().Check().ok());
}

TEST(MigrationsRace, two_servers_at_once_apply_each_once) {
  const std::string url = test::NewDatabase();
  int applied[2] = {};
  std::thread threads[2];
  for (int i = 0; i < 2; ++i) {
    threads[i] = std::thread([&, i] { applied[i] = *Store(url).schema().Migrate(); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::to_string(applied[0] + applied[1]),
            test::QueryText(url, "SELECT count(*) FROM schema_version"));
}

TEST(Migrations, a_newer_schema_is_refused) {
  const std::string url = test::NewDatabase();
  Store store(url);
  ASSERT_TRUE(store.schema().Migrate().ok());
  test::Execute(url, "INSERT INTO schema_version (version, name) VALUES (999, 'V999__later')");
  EXPECT_EQ(store.schema().Migrate().error().code, "newer_schema");
  EXPECT_EQ(store.schema().Check().error().code, "newer_schema");
}

TEST(Migrations, an_older_schema_is_told_and_not_touched_by_a_check) {
  const std::string url = test::NewDatabase();
  Store store(url);
  EXPECT_EQ(store.schema().Check().error().code, "older_schema");
  EXPECT_EQ(test::QueryText(url, "SELECT count(*) FROM pg_class WHERE relname = 'measurement'"),
            "0");
  ASSERT_TRUE(store.schema().Migrate().ok());
  test::Execute(
      url, "DELETE FROM schema_version WHERE version = (SELECT max(version) FROM schema_version)");
  EXPECT_EQ(store.schema().Check().error().code, "older_schema");
}

}  // namespace
}  // namespace tunehub::store
