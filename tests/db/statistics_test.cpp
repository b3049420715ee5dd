// PostgreSQL's planner statistics after loads, and the settings of a session.
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "server/db/database_state.h"
#include "server/keys/key_store.h"
#include "server/ops/backup.h"
#include "tests/support/registry.h"
#include "tests/support/result.h"
#include "tests/support/sql.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_cluster.h"

namespace tunehub::test {
namespace {

constexpr int kLoad = 2'000;  // after a batch of at least this size, the hub updates the statistics

class Statistics : public testing::Test {
 protected:
  Statistics() {
    for (const std::string table : {"measurement", "candidate", "tuned"})
      Execute(registry_.url, "ALTER TABLE " + table + " SET (autovacuum_enabled = off)");
  }

  static void Load(Registry& registry, const std::string& kernel, int rows = kLoad) {
    std::vector<Line> lines;
    for (int m = 1; m <= rows; ++m) lines.push_back({.m = m, .kernel = kernel, .us = "100"});
    ASSERT_EQ(Refusal(registry.Send(Csv(lines))), "");
  }
  static std::string Known(const Registry& registry) {
    return QueryText(registry.url,
                     "SELECT string_agg(c.relname || ' ' || c.reltuples || ' ' || "
                     "(SELECT count(*) > 0 FROM pg_stats s WHERE s.tablename = c.relname), ', ' "
                     "ORDER BY c.relname) FROM pg_class c "
                     "WHERE c.relname IN ('measurement', 'candidate', 'tuned')");
  }
  void Believe(int rows) {
    Execute(registry_.url, "UPDATE pg_class SET reltuples = " + std::to_string(rows) +
                               " WHERE relname = 'measurement'");
  }
  std::string Believed() {
    return QueryText(registry_.url, "SELECT reltuples FROM pg_class WHERE relname = 'measurement'");
  }

  Registry registry_;
};

TEST_F(Statistics, are_made_after_the_first_load) {
  Load(registry_, "a", kLoad - 1);
  EXPECT_EQ(Believed(), "-1") << "the hub leaves a small batch to autovacuum";
  Load(registry_, "b");
  EXPECT_EQ(Known(registry_), "candidate 3999 true, measurement 3999 true, tuned 2000 true");
}

TEST_F(Statistics, are_made_again_after_a_load_that_adds_a_tenth) {
  Load(registry_, "a");
  Believe(10 * kLoad);
  Load(registry_, "b");
  EXPECT_EQ(Believed(), "20000") << "more than a tenth is needed";
  Believe(10 * kLoad - 1);
  Load(registry_, "c");
  EXPECT_EQ(Believed(), "6000");
}

TEST_F(Statistics, are_there_after_a_restore_before_anybody_loads) {
  Load(registry_, "a");
  const TempDir folder;
  const auto place = folder.path() / "backup";
  ASSERT_TRUE(server::MakeBackup(registry_.pool, {registry_.url, place, "test"}).ok());
  const std::string url = NewDatabase();
  {
    server::ConnectionPool pool(url, {.size = 2});
    ASSERT_TRUE(server::Restore(pool, {url, place}).ok());
  }
  const Registry restored(url);
  EXPECT_EQ(Known(restored), "candidate 2000 true, measurement 2000 true, tuned 2000 true");
}

TEST_F(Statistics, are_not_waited_for_where_somebody_else_makes_them) {
  pqxx::connection other(registry_.url);
  pqxx::work vacuum(other);
  vacuum.exec("LOCK TABLE measurement IN SHARE UPDATE EXCLUSIVE MODE");
  Load(registry_, "a");
  EXPECT_EQ(Known(registry_), "candidate 2000 true, measurement -1 false, tuned 2000 true");
}

// Under one of these settings, a session would return wrong bytes, times or doubles.
TEST(SessionSettings, hold_whatever_the_database_is_set_to) {
  const std::string url = RegistryDatabase();
  const auto lines = [] {
    return Csv({{.kernel = "a", .us = "10.123456789012345"}, {.m = 32, .kernel = "FAILED: µ"}});
  };
  Registry plain;
  ASSERT_EQ(Refusal(plain.Send(lines())), "");
  const std::string set = "ALTER DATABASE " + DatabaseName(url) + " SET ";
  for (const char* setting :
       {"bytea_output = escape", "DateStyle = 'German, DMY'", "IntervalStyle = sql_standard",
        "TimeZone = 'Asia/Kathmandu'", "extra_float_digits = -10", "client_encoding = LATIN1",
        "standard_conforming_strings = off", "array_nulls = off", "transform_null_equals = on",
        "default_transaction_isolation = serializable"}) {
    Execute(url, set + setting);
  }
  Registry odd(url + " client_encoding=LATIN1");
  ASSERT_EQ(Refusal(odd.Send(lines())), "");
  EXPECT_EQ(odd.Table(), plain.Table());
  const auto key = server::KeyStore(odd.pool).Create(
      {.sha256 = "digest", .hint = "thub_", .scope = "read", .expires = "2031-02-03T04:05:06Z"});
  EXPECT_EQ(key.expires, "2031-02-03T04:05:06Z");
  EXPECT_EQ(QueryText(url, "SELECT count(*) FROM measurement"), "2");
}

TEST(SessionSettings, a_database_that_is_not_made_for_utf_8_is_refused) {
  const std::string base = NewDatabase();
  const std::string name = DatabaseName(base) + "_latin1";
  pqxx::connection cluster(SharedCluster().cluster().ConnectionString());
  pqxx::nontransaction(cluster).exec(
      "CREATE DATABASE " + name +
      " ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
  std::string url = base;
  url.replace(url.rfind(DatabaseName(base)), std::string::npos, name);
  server::ConnectionPool pool(url, {.size = 2});
  const auto checked = server::CheckSessions(pool);
  EXPECT_EQ(ErrorCode(checked), "database_encoding");
  EXPECT_EQ(checked.error().detail,
            "the database '" + name +
                "' has the encoding LATIN1, but a hub needs UTF8. Create another database: CREATE "
                "DATABASE hub ENCODING 'UTF8' TEMPLATE template0");
}

}  // namespace
}  // namespace tunehub::test
