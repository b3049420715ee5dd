#include <gmock/gmock.h>

#include "server/db/connection_pool.h"
#include "server/db/schema.h"
#include "tests/support/result.h"
#include "tests/support/sql.h"
#include "tests/support/test_cluster.h"

namespace tunehub::server {
namespace {

TEST(Migrations, a_later_file_is_told_then_applied_and_newer_for_a_program_without_it) {
  const std::string url = test::NewDatabase();
  ConnectionPool pool(url);
  EXPECT_EQ(Schema(pool).Check().error().code, "older_schema");
  EXPECT_EQ(test::QueryText(url, "SELECT count(*) FROM pg_class WHERE relname = 'measurement'"),
            "0");
  EXPECT_GT(Must(Schema(pool).Migrate()), 0);
  EXPECT_TRUE(Schema(pool).Check().ok());
  auto files = ShippedMigrations();
  files.push_back({"V999__later", "CREATE TABLE later (n integer)"});
  EXPECT_EQ(Schema(pool).Check(files).error().code, "older_schema");
  EXPECT_EQ(*Schema(pool).Migrate(files), 1);
  EXPECT_EQ(*Schema(pool).Migrate(files), 0);
  EXPECT_EQ(test::QueryText(url, "SELECT count(*) FROM later"), "0");
  EXPECT_EQ(Schema(pool).Migrate().error().code, "newer_schema");
  EXPECT_EQ(Schema(pool).Check().error().code, "newer_schema");
}

TEST(Migrations, a_database_of_an_earlier_state_is_refused_and_stays_as_it_is) {
  const std::string url = test::NewDatabase();
  test::Execute(url,
                "CREATE TABLE schema_version (version integer PRIMARY KEY, name text NOT NULL,"
                " applied timestamptz NOT NULL DEFAULT now());"
                "INSERT INTO schema_version (version, name) VALUES (1, 'V001__registry'),"
                " (2, 'V002__queue'); CREATE TABLE registry (revision bigint)");
  const auto state = [&] {
    return test::QueryText(
               url,
               "SELECT string_agg(relname || ' ' || pg_relation_size(oid), ',' ORDER BY relname) "
               "FROM pg_class WHERE relnamespace = 'public'::regnamespace") +
           test::QueryText(url, "SELECT string_agg(v::text, ',') FROM schema_version v");
  };
  const std::string before = state();
  ConnectionPool pool(url);
  const auto refused = Schema(pool).Migrate();
  EXPECT_EQ(ErrorCode(refused), "earlier_schema");
  EXPECT_THAT(refused.error().detail, testing::HasSubstr("V001__registry, but this program has"));
  EXPECT_EQ(Schema(pool).Check().error().code, "earlier_schema");
  EXPECT_EQ(state(), before);
}

}  // namespace
}  // namespace tunehub::server
