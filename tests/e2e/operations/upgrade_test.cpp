// A hub that was filled under an older schema, and what an upgrade does to it.
#include <stdexcept>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/sql.h"
#include "tests/support/undo_known_rows.h"
#include "tests/support/undo_owners.h"
#include "tests/support/undo_points.h"
#include "tests/support/undo_tokens.h"
#include "tests/support/undo_trust.h"

namespace tunehub::test {
namespace {

using testing::HasSubstr;

// As the database of a hub was that knew neither builds nor what a job is for, nor told kinds of
// quarantined rows apart, nor what runs untuned but by a free text.
void UndoMigrationsAfterTheSecond(const std::string& database) {
  Execute(database, kUndoTrust);
  Execute(database, kUndoPoints);
  Execute(database, kUndoOwners);
  Execute(database, kUndoTokens);
  Execute(database, kUndoKnownRows);
  Execute(
      database,
      "DROP TABLE build; DROP SEQUENCE build_put; ALTER TABLE job DROP COLUMN purpose;"
      "DROP TRIGGER api_key_epoch ON api_key; DROP FUNCTION bump_key_epoch; DROP TABLE key_epoch");
  Execute(database,
          "DROP TABLE lease_watch; ALTER TABLE job DROP COLUMN instance;"
          "CREATE UNIQUE INDEX job_running ON job (agent) WHERE state = 'running';"
          "ALTER TABLE agent DROP COLUMN instance, ADD PRIMARY KEY (name)");
  Execute(database,
          "DROP TABLE unsettled; DELETE FROM candidate WHERE standing > 2;"
          "UPDATE measurement SET standing = 3 WHERE standing > 2;"
          "ALTER TABLE measurement DROP COLUMN is_default, DROP COLUMN searched;"
          "ALTER TABLE tuned DROP COLUMN baseline; ALTER TABLE tuned_history DROP COLUMN baseline");
  Execute(database, "DELETE FROM schema_version WHERE version > 2");
}

TEST(UpgradeTest, a_filled_hub_serves_the_same_table_and_hands_out_the_job_that_waited) {
  const std::string database = NewDatabase();
  ServerProcess server({.database = database});
  const auto pushed =
      server.Client(server.NewKey("submit")).Post(kResults, kHeader + Row(16, "7.5"));
  ASSERT_EQ(pushed.status, 200) << pushed.body;
  const auto asked = server.Client(server.NewKey("admin"))
                         .Post("/jobs", R"({"family":"a8w8_blockscale","gfx":"gfx942",)"
                                        R"("shapes":[{"M":32,"N":2048,"K":3072}]})");
  ASSERT_EQ(asked.status, 201) << asked.body;
  const auto before = server.Client().Get(kTable);
  ASSERT_EQ(before.status, 200) << before.body;
  const std::string claim_key = server.NewKey("claim");
  ASSERT_EQ(server.Stop(), 0);
  UndoMigrationsAfterTheSecond(database);

  EXPECT_THROW(server.Start(), std::runtime_error);
  EXPECT_THAT(server.Log(), HasSubstr("run 'tunehub-server migrate'"));
  const Finished migrated = server.Tool({"migrate"});
  ASSERT_EQ(migrated.status, 0) << migrated.err;
  EXPECT_THAT(migrated.out, HasSubstr(" migrations applied"));

  server.Start();
  const auto after = server.Client().Get(kTable);
  EXPECT_EQ(after.body, before.body);
  EXPECT_EQ(after.Header("etag"), before.Header("etag"));
  const auto claimed = server.Client(claim_key).Post(
      "/jobs/claim", R"({"agent":"host-1","gfx":"gfx942","cu_num":304})");
  ASSERT_EQ(claimed.status, 200) << claimed.body;
  EXPECT_EQ(JsonOf(claimed).at("id"), JsonOf(asked).at("id"));
}

// Under the older schema the latest row counted, whatever it said, and a wrong one was skipped.
TEST(UpgradeTest, what_was_taken_from_a_measured_row_is_given_back_in_a_revision_of_its_own) {
  const std::string database = NewDatabase();
  ServerProcess server({.database = database});
  const auto push = [&](const std::string& rows) {
    const auto sent = server.Client(server.NewKey("submit")).Post(kResults, kHeader + rows);
    ASSERT_EQ(sent.status, 200) << sent.body;
  };
  const auto wrong = [](std::string row) { return row.replace(row.rfind("0.0"), 3, "0.9"); };
  push(Row(16, "7.5") + Row(32, "8.5"));
  push(Row(16, "0"));
  push(wrong(Row(32, "8.5")));
  ASSERT_EQ(server.Stop(), 0);
  UndoMigrationsAfterTheSecond(database);
  // M = 16 stands by its zero, M = 32 by the time that was found wrong.
  Execute(database,
          "UPDATE candidate c SET us = m.us, measurement = m.id, standing = m.standing, "
          "run = r.hash, run_time = (extract(epoch FROM r.started) * 1000000)::bigint "
          "FROM measurement m JOIN run r ON r.id = m.run WHERE m.key = c.key AND m.us = 0");
  Execute(database,
          "INSERT INTO candidate (key, candidate, run, run_time, us, error, measurement, provider, "
          "standing) SELECT m.key, m.candidate, r.hash, 0, m.us, m.error, m.id, m.provider, 0 "
          "FROM measurement m JOIN run r ON r.id = m.run WHERE m.us = 8.5 AND m.standing = 0");
  Execute(database,
          "UPDATE tuned t SET candidate = c.candidate, measurement = c.measurement, "
          "standing = c.standing, why = CASE c.standing WHEN 0 THEN 0 ELSE 5 END "
          "FROM candidate c WHERE c.key = t.key");
  ASSERT_EQ(server.Tool({"migrate"}).status, 0);

  server.Start();
  EXPECT_EQ(server.Client().Get(kTable).body, kHeader + Row(16, "7.5"));
  const auto newest = JsonOf(server.Client().Get("/revisions")).at("revisions")[0];
  EXPECT_EQ(newest.at("cause"), "an upgrade");
  EXPECT_EQ(newest.at("families")[0].at("changed"), 2);
}

}  // namespace
}  // namespace tunehub::test
