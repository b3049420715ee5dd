// A hub that was filled under an older schema, and what an upgrade does to it.
#include <stdexcept>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

using testing::HasSubstr;

// As the database of a hub was that knew neither builds nor what a job is for.
void UndoMigrationsAfterTheSecond(const std::string& database) {
  Execute(
      database,
      "DROP TABLE build; DROP SEQUENCE build_put; ALTER TABLE job DROP COLUMN purpose;"
      "DROP TRIGGER api_key_epoch ON api_key; DROP FUNCTION bump_key_epoch; DROP TABLE key_epoch");
  Execute(database,
          "DROP TABLE lease_watch; ALTER TABLE job DROP COLUMN instance;"
          "CREATE UNIQUE INDEX job_running ON job (agent) WHERE state = 'running';"
          "ALTER TABLE agent DROP COLUMN instance, ADD PRIMARY KEY (name)");
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

}  // namespace
}  // namespace tunehub::test
