// The commands backup, restore and verify, with and without a running server.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <pqxx/pqxx>
#include <thread>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/comes.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

namespace fs = std::filesystem;

int PushRow(ServerProcess& server, const std::string& key, int m, const std::string& us) {
  return server.Client(key).Post(kResults, kHeader + Row(m, us)).status;
}

TEST(BackupCommand, a_hub_comes_back_beside_a_server_and_on_another_host) {
  ServerProcess server({.database = NewDatabase()});
  const TempDir folder;
  const std::string place = folder.path() / "hub", key = server.NewKey("submit");
  ASSERT_EQ(PushRow(server, key, 16, "7.5"), 200);
  const auto before = server.Client().Get(kTable);
  const Finished made = server.Tool({"backup", place});
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("/hub: revision 1, 1 measurements, schema version "));

  ASSERT_EQ(PushRow(server, key, 32, "9.5"), 200);
  const Finished refused = server.Tool({"restore", place});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("database_not_empty"));
  EXPECT_NE(server.Client().Get(kTable).body, before.body);

  // This restore makes a new cluster.
  ServerProcess other({.data = folder.path() / "other"});
  EXPECT_EQ(other.Stop(), 0);
  const Finished restored = other.Tool({"restore", place, "--replace", "--revive-keys"});
  ASSERT_EQ(restored.status, 0) << restored.err;
  EXPECT_THAT(restored.out, testing::Not(HasSubstr("revoked")));
  other.Start();
  EXPECT_EQ(other.Client().Get(kTable).body, before.body);
  EXPECT_EQ(PushRow(other, key, 32, "9.5"), 200) << "the restore must include the keys";
}

TEST(BackupCommand, a_key_that_was_revoked_since_stays_revoked_and_the_others_stay_good) {
  ServerProcess server({.database = NewDatabase()});
  const TempDir folder;
  const std::string place = folder.path() / "hub", key = server.NewKey("submit");
  const std::string other = server.NewKey("submit");
  ASSERT_EQ(server.Tool({"backup", place}).status, 0);
  ASSERT_EQ(server.Tool({"key", "revoke", "1"}).status, 0);
  EXPECT_NE(server.Tool({"key", "revoke", "1"}).status, 0) << "the key is revoked already";
  ASSERT_TRUE(Comes([&] { return PushRow(server, key, 16, "7.5") == 401; }));
  const auto of_both = [&](int first, int second) {
    // The server refreshes its copy of the keys within a second.
    return Comes([&] { return PushRow(server, other, 16, "7.5") == second; }) &&
           Comes([&] { return PushRow(server, key, 16, "7.5") == first; });
  };
  const Finished restored = server.Tool({"restore", place, "--replace"});
  ASSERT_EQ(restored.status, 0) << restored.err;
  EXPECT_THAT(restored.out, HasSubstr("key 1 (" + key.substr(0, 9) + "..., submit) is revoked\n"));
  EXPECT_THAT(restored.out, testing::Not(HasSubstr("key 2")));
  EXPECT_TRUE(of_both(401, 200));
  EXPECT_THAT(JsonOf(server.Client(server.NewKey("admin")).Get("/audit")).dump(),
              HasSubstr("submit, by a restore"));
  const Finished revived = server.Tool({"restore", place, "--replace", "--revive-keys"});
  ASSERT_EQ(revived.status, 0) << revived.err;
  EXPECT_TRUE(of_both(200, 200));
}

// A reader has locked one table and waits for a second. The restore has locked the second and waits
// for the first.
TEST(BackupCommand, a_restore_gets_past_a_reader_that_deadlocks_with_it) {
  const std::string database = NewDatabase();
  ServerProcess server({.database = database});
  const TempDir folder;
  const std::string place = folder.path() / "hub";
  ASSERT_EQ(server.Tool({"backup", place}).status, 0);
  // PostgreSQL ends the session that first checks for a deadlock, here the restore's.
  Execute(database,
          "DO $$ BEGIN EXECUTE format("
          "'ALTER DATABASE %I SET deadlock_timeout = \"4s\"', current_database()); END $$");
  pqxx::connection connection(database);
  pqxx::work reader(connection);
  reader.exec("SET deadlock_timeout = '1h'");
  reader.exec("LOCK TABLE measurement IN ACCESS SHARE MODE");
  auto restored = std::async(std::launch::async, [&] {
    return server.Tool({"restore", place, "--replace"});
  });
  const std::string held =
      "SELECT min(h.relation::regclass::text) FROM pg_locks w JOIN pg_locks h USING (pid)"
      " JOIN pg_class c ON c.oid = h.relation AND c.relkind = 'r' AND c.relnamespace = 2200"
      " WHERE NOT w.granted AND w.relation = 'measurement'::regclass AND h.granted"
      " AND h.mode = 'AccessExclusiveLock'";
  std::string table;
  ASSERT_TRUE(Comes([&] { return !(table = QueryText(database, held)).empty(); }));
  reader.exec("LOCK TABLE " + table + " IN ACCESS SHARE MODE");
  reader.commit();
  const Finished end = restored.get();
  EXPECT_EQ(end.status, 0) << end.err;
}

TEST(BackupCommand, a_key_that_was_rotated_since_ends_with_its_grace) {
  const std::string database = NewDatabase();
  ServerProcess server({.database = database});
  const TempDir folder;
  (void)server.NewKey("submit");
  ASSERT_EQ(server.Tool({"backup", folder.path() / "hub"}).status, 0);
  ASSERT_EQ(server.Tool({"key", "rotate", "1"}).status, 0);
  const std::string ends = "SELECT expires FROM api_key WHERE id = 1";
  const std::string grace = QueryText(database, ends);
  ASSERT_NE(grace, "");
  const Finished restored = server.Tool({"restore", folder.path() / "hub", "--replace"});
  ASSERT_EQ(restored.status, 0) << restored.err;
  EXPECT_EQ(QueryText(database, ends), grace);
}

TEST(BackupCommand, into_an_empty_database_keys_come_revoked) {
  ServerProcess server({.database = NewDatabase()});
  const TempDir folder;
  const std::string place = folder.path() / "hub", key = server.NewKey("admin");
  ASSERT_EQ(server.Tool({"backup", place}).status, 0);
  ServerProcess empty({.database = NewDatabase()});
  const Finished restored = empty.Tool({"restore", place, "--replace"});
  ASSERT_EQ(restored.status, 0) << restored.err;
  EXPECT_THAT(restored.out, HasSubstr("..., admin) is revoked\n"));
  EXPECT_EQ(PushRow(empty, key, 16, "7.5"), 401);
  EXPECT_EQ(PushRow(empty, empty.NewKey("submit"), 16, "7.5"), 200)
      << "a command on the host can make a new key";
}

// A backup's name contains the second.
void AwaitNextSecond() {
  std::this_thread::sleep_until(
      std::chrono::ceil<std::chrono::seconds>(std::chrono::system_clock::now()));
}

TEST(BackupCommand, keep_makes_one_after_another_and_removes_the_oldest) {
  ServerProcess server({.database = NewDatabase()});
  const TempDir folder;
  const auto count = [&] {
    return std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
  };
  for (int made = 1; made <= 2; ++made) {
    const Finished done = server.Tool({"backup", folder.path(), "--keep", "1"});
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out.find("removed, because of --keep") != std::string::npos, made == 2);
    EXPECT_EQ(count(), 1);
    AwaitNextSecond();
  }
}

// If a folder's name is mistyped, no command may make an empty database there and report that all
// is well.
TEST(DataFolder, where_there_is_no_hub_only_what_begins_one_makes_it) {
  const TempDir folder;
  const std::string typo = folder.path() / "typo";
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"verify"},
                                             {"backup", folder.path() / "backup"},
                                             {"export", "--static", folder.path() / "export"},
                                             {"key", "create", "--scope", "read"},
                                             {"key", "list"},
                                             {"key", "revoke", "1"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--data", typo});
    const Finished refused = RunToEnd({ServerBinary(), arguments, {}});
    EXPECT_EQ(refused.status, 2) << command[0];
    EXPECT_THAT(refused.err, HasSubstr("no_hub: " + typo + " contains no hub. ")) << command[0];
    EXPECT_EQ(refused.out, "") << command[0];
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_EQ(RunToEnd({ServerBinary(), {"migrate", "--data", typo}, {}}).status, 0);
  EXPECT_EQ(RunToEnd({ServerBinary(), {"key", "list", "--data", typo}, {}}).status, 0);
}

TEST(VerifyCommand, names_what_does_not_hold_and_ends_with_1) {
  const std::string database = NewDatabase();
  ServerProcess server({.database = database});
  const TempDir folder;
  const std::string place = folder.path() / "hub";
  ASSERT_EQ(PushRow(server, server.NewKey("submit"), 16, "7.5"), 200);
  const Finished sound = server.Tool({"verify"});
  EXPECT_EQ(sound.status, 0) << sound.out << sound.err;
  EXPECT_EQ(sound.out, "revision 1, 1 measurements, 0 digests of revisions: no fault found\n");
  ASSERT_EQ(server.Tool({"backup", place}).status, 0);
  const Finished good = server.Tool({"verify", "--backup", place});
  EXPECT_EQ(good.status, 0) << good.out << good.err;
  EXPECT_THAT(good.out, HasSubstr("no fault found"));

  Execute(database, "UPDATE tuned SET why = 3");
  const Finished wrong = server.Tool({"verify"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.out, HasSubstr("the tuned row of shape key "));
  EXPECT_THAT(wrong.out, HasSubstr(": 1 faults found\n"));
  ASSERT_EQ(server.Tool({"backup", place}).status, 0)
      << "a backup copies a wrong database as it is";
  EXPECT_EQ(server.Tool({"verify", "--backup", place}).status, 1);

  std::ofstream(fs::path(place) / "database/toc.dat", std::ios::app) << "x";
  const Finished damaged = server.Tool({"verify", "--backup", place});
  EXPECT_EQ(damaged.status, 1);
  EXPECT_THAT(damaged.err, HasSubstr("bad_backup: "));
}

}  // namespace
}  // namespace tunehub::test
