// What `doctor` finds in a database and in what is served of it: each of these is really broken.
#include <future>
#include <thread>

#include "tests/e2e/operations/doctor_fixture.h"
#include "tests/support/cluster_process.h"
#include "tests/support/comes.h"
#include "tests/support/pg_bouncer.h"
#include "tests/support/shipped.h"
#include "tests/support/sql.h"
#include "tests/support/standby.h"

namespace tunehub::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

TEST_F(DoctorTest, a_database_that_cannot_be_asked) {
  ExpectSays(Doctor({"--database", "host=/nonexistent dbname=hub"}),
             {"the database at /nonexistent:5432 cannot be asked", "/nonexistent/.s.PGSQL.5432",
              "clock, replication, archive, keys, queue, served: not looked at"});
}

TEST_F(DoctorTest, of_several_hosts_each_that_is_down_and_a_standby_that_is_alone) {
  const ClusterProcess primary(
      {.data_dir = dir_.path() / "pg", .extra_settings = {{"fsync", "off"}}});
  const std::string& from = primary.connection();
  const std::string folder = from.substr(5, from.find(' ') - 5);
  const Standby standby(from);
  const auto hub = [&](const std::string& hosts) {
    return "host=" + hosts + " port=5432 user=tunehub dbname=tunehub";
  };
  ASSERT_EQ(RunToEnd({program(), {"migrate", "--database", from}}).status, 0);
  const Finished one_down =
      Doctor({"--database", hub("/gone," + standby.socket_dir() + "," + folder)});
  ExpectSays(one_down, {"the database at /gone:5432 cannot be asked"});
  EXPECT_THAT(one_down.out, Not(HasSubstr("takes no writes")));
  EXPECT_THAT(one_down.out, HasSubstr("keys: no key of scope")) << "the others are asked";
  ExpectSays(Doctor({"--database", hub("/gone," + standby.socket_dir())}),
             {"the database takes no writes: it is a standby"});
  ExpectSays(Doctor({"--database", standby.connection_string()}),
             {"the database takes no writes: it is a standby"});
}

TEST_F(DoctorTest, a_schema_that_is_older_or_newer_and_a_pooler) {
  const std::string database = NewDatabase();
  ExpectSays(Doctor({"--database", database}),
             {"schema: the database has schema version 0, this program needs",
              "keys, queue, served: not looked at: the schema is not this program's"});
  const std::string migrated = MigratedDatabase();
  const PgBouncer pooler(migrated, "transaction");
  ExpectSays(Doctor({"--database", pooler.connection_string()}),
             {"sessions: the database is behind a pooler"});
  Execute(migrated, "INSERT INTO schema_version (version, name) VALUES (99, 'V099__later')");
  ExpectSays(Doctor({"--database", migrated}), {"the database has schema version 99"});
}

TEST_F(DoctorTest, definitions_that_are_not_the_databases) {
  const std::string database = MigratedDatabase();
  const fs::path configs = dir_.path() / "configs", family = configs / "families/a8w8.json";
  fs::copy(TUNEHUB_SOURCE_DIR "/configs", configs, fs::copy_options::recursive);
  const auto edit = [&](const std::string& from, const std::string& to) {
    std::string text = ReadText(family);
    ASSERT_NE(text.find(from), std::string::npos);
    std::ofstream(family) << text.replace(text.find(from), from.size(), to);
  };
  const std::vector<std::string> of_configs = {"--database", database, "--configs", configs};
  edit("\"error_limit\": 0.2", "\"error_limit\": 0.1");
  ExpectSays(Doctor(of_configs),
             {"a8w8: the database has another file than is here", "run `tunehub-server migrate`"});
  ASSERT_EQ(RunToEnd({program(), {"migrate", "--database", database, "--configs", configs}}).status,
            0);
  EXPECT_THAT(Doctor(of_configs).out, Not(HasSubstr("definitions: ")));
  ExpectSays(Doctor({"--database", database}),
             {"a8w8: the file here is older than the database's"});
  edit("{", "");
  ExpectSays(Doctor(of_configs), {"definitions: ", "a8w8.json"});
}

TEST_F(DoctorTest, a_clock_that_is_far_from_this_hosts) {
  const std::string database = MigratedDatabase();
  // The database's own, as a session of the server meets it.
  Execute(database,
          "CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql "
          "AS 'SELECT pg_catalog.clock_timestamp() - interval ''1 hour''';"
          "ALTER DATABASE " +
              DatabaseName(database) + " SET search_path = public, pg_catalog");
  ExpectSays(Doctor({"--database", database}),
             {"the database's clock is 3600 s behind this host's"});
}

TEST_F(DoctorTest, keys_that_let_nobody_write) {
  const std::string database = MigratedDatabase();
  const auto make = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"key", "create", "--database", database};
    arguments.insert(arguments.end(), more.begin(), more.end());
    ASSERT_EQ(RunToEnd({program(), arguments}).status, 0);
  };
  make({"--scope", "read"});
  ExpectSays(Doctor({"--database", database}),
             {"no key of scope submit, claim or admin is in force", "key create --scope submit"});
  make({"--scope", "admin", "--expires", "2026-01-31"});
  ExpectSays(Doctor({"--database", database}),
             {"all keys that may send have expired, the last one at 2026-01-31"});
  make({"--scope", "claim"});
  EXPECT_THAT(Doctor({"--database", database}).out, Not(HasSubstr("keys: ")));
}

TEST_F(DoctorTest, a_queue_without_agents_and_without_a_server) {
  const std::string database = MigratedDatabase();
  Execute(database,
          "INSERT INTO agent (name, instance, gfx, cu_num, host, last_seen) VALUES "
          "('busy', 'busy', 'gfx950', 256, 'h0', now()), "
          "('lost', 'lost', 'gfx942', 304, 'h1', now() - interval '1 hour'), "
          "('taken', 'taken', 'gfx942', 304, 'h2', now() - interval '8 days');"
          "INSERT INTO job (family, state, gfx, cu_num, priority, weight, shapes, lease_expires) "
          "SELECT id, state, gfx, 0, 0, 1, '[]', lease FROM (SELECT min(id) AS id FROM family) f, "
          "(VALUES ('queued', 'gfx942', NULL), ('queued', 'gfx942', NULL), ('queued', 'gfx950', "
          "NULL), ('parked', 'gfx950', NULL), ('running', 'gfx950', now() - interval '1 hour')) "
          "AS j (state, gfx, lease)");
  const Finished found = Doctor({"--database", database});
  ExpectSays(found, {"2 jobs for gfx942 are queued, and no agent of it",
                     "agents are silent: lost on h1 since 20", "1 jobs are parked",
                     "1 leases have expired"});
  EXPECT_THAT(found.out, Not(HasSubstr("for gfx950")));
  EXPECT_THAT(found.out, Not(HasSubstr("taken on h2")));
}

TEST_F(DoctorTest, a_standby_that_is_missing_a_slot_without_one_and_an_archive_that_fails) {
  const ClusterProcess cluster(
      {.data_dir = dir_.path() / "pg",
       .extra_settings = {{"fsync", "off"},
                          {"archive_mode", "on"},
                          {"archive_command", "false"},
                          {"synchronous_standby_names", "ANY 2 (a, b, c)"}}});
  const std::string& url = cluster.connection();
  ASSERT_EQ(RunToEnd({program(),
                      {"migrate", "--database", url},
                      {{"PGOPTIONS", "-c synchronous_commit=local"}}})
                .status,
            0);
  Execute(url, "SELECT pg_create_physical_replication_slot('gone', true)");
  for (int i = 0; i < 20; ++i)
    Execute(url, "SELECT pg_logical_emit_message(false, 'x', 'y'); SELECT pg_switch_wal()");
  ASSERT_TRUE(Comes(
      [&] { return QueryText(url, "SELECT failed_count > 0 FROM pg_stat_archiver") == "t"; }));
  ExpectSays(Doctor({"--database", url}),
             {"nobody reads the replication slots gone, for which the database keeps",
              "commits wait for 2 synchronous standbys (ANY 2 (a, b, c)), and 0 are there",
              "WAL is not archived: 0000000"});
}

// A server that is there and serves what it had.
TEST_F(DoctorTest, a_server_without_its_database_is_not_ready) {
  ClusterProcess cluster({.data_dir = dir_.path() / "pg", .extra_settings = {{"fsync", "off"}}});
  ServerProcess server({.database = cluster.connection()});
  cluster.Kill();
  ASSERT_TRUE(server.AwaitReady(503));
  ExpectSays(DoctorOf(server, {"--database", cluster.connection()}),
             {"is not ready: the database is gone", "cannot be asked"});
}

// A lock on the rows that it wants to read.
TEST_F(DoctorTest, a_server_that_lags_behind_its_database) {
  const std::string database = NewDatabase();
  ServerProcess server({.database = database});
  ASSERT_EQ(Verdict(server.Client(server.NewKey("submit")).Post(kResults, kHeader + Row(1, "7.5"))),
            "200");
  ASSERT_EQ(Verdict(server.Client().Get("/families?min_revision=1")), "200");
  auto lock = std::async(std::launch::async, [&] {
    Execute(database, "BEGIN; LOCK TABLE tuned IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(10)");
  });
  ASSERT_TRUE(Comes([&] {
    return QueryText(database,
                     "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' "
                     "AND datname = current_database()") == "1";
  }));
  Execute(database,
          "UPDATE registry SET revision = revision + 1, evidence = evidence + 1;"
          "INSERT INTO revision (number, change, kind, cause) VALUES (2, 99, 'results', '');"
          "INSERT INTO revision_family (family, number, family_version, targets_version, changed) "
          "SELECT family, 2, family_version, targets_version, 1 FROM revision_family "
          "WHERE number = 1");
  ExpectSays(DoctorOf(server, {"--database", database}),
             {"the server serves revision 1, and the database has 2"});
  lock.get();
}

}  // namespace
}  // namespace tunehub::test
