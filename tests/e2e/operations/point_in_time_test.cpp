// deploy/point-in-time restores a hub to a moment between two pushes, and never another hub.
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/comes.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;

Finished PointInTime(std::vector<std::string> arguments) {
  return RunToEnd(
      {fs::path(ServerBinary()).parent_path().parent_path().parent_path().parent_path() /
           "deploy/point-in-time",
       std::move(arguments)});
}

// A server whose own PostgreSQL archives its WAL.
class ArchivedHub {
 public:
  ArchivedHub(fs::path data, const fs::path& archive)
      : data_(std::move(data)),
        archive_(archive),
        server_({.data = data_, .environment = {{"TUNEHUB_WAL_ARCHIVE", archive}}}),
        key_(server_.NewKey("submit")) {}

  const std::string& key() const { return key_; }
  int Push(int m, const std::string& key = "") const {
    const auto client = server_.Client(key.empty() ? key_ : key);
    return client.Post(kResults, kHeader + Row(m, "7.5")).status;
  }
  std::string Table() const { return server_.Client().Get(kTable).body; }
  std::string Sql(const std::string& text) const {
    std::ifstream in(data_ / "pg.socket");
    std::string socket;
    std::getline(in, socket);
    return QueryText("host=" + socket + " port=5432 user=tunehub dbname=tunehub", text);
  }
  std::string Now() const { return Sql("SELECT clock_timestamp()"); }
  // Waits until the archive contains all WAL up to now.
  bool IsArchived() const {
    const std::string last = Sql("SELECT pg_walfile_name(pg_switch_wal())");
    return Comes([&] {
      return Sql("SELECT coalesce(last_archived_wal COLLATE \"C\" >= '" + last +
                 "', false) FROM pg_stat_archiver") == "t";
    });
  }
  Finished Base() const {
    const Finished base =
        PointInTime({"base", "--data", data_, "--archive", archive_, "--keep", "1"});
    std::this_thread::sleep_until(  // the name of a base backup contains the second
        std::chrono::ceil<std::chrono::seconds>(std::chrono::system_clock::now()));
    return base;
  }
  void Kill() { server_.Kill(); }

 private:
  fs::path data_, archive_;
  ServerProcess server_;
  std::string key_;
};

class PointInTimeTest : public testing::Test {
 protected:
  Finished Restore(const std::string& time, const std::string& name, const fs::path& archive = {},
                   const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {
        "restore", "--archive",          archive.empty() ? archive_ : archive, "--time", time,
        "--data",  folder_.path() / name};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return PointInTime(arguments);
  }

  const TempDir folder_;
  const fs::path archive_ = folder_.path() / "wal";
};

TEST_F(PointInTimeTest, a_hub_is_as_it_was_between_two_pushes) {
  ArchivedHub hub(folder_.path() / "data", archive_);
  ASSERT_EQ(hub.Push(16), 200);
  const Finished base = hub.Base();
  ASSERT_EQ(base.status, 0) << base.out << base.err;
  ASSERT_EQ(hub.Push(32), 200);
  const std::string then = hub.Table(), time = hub.Now();
  ASSERT_EQ(hub.Push(64), 200);
  ASSERT_TRUE(hub.IsArchived());
  hub.Kill();

  const Finished late = Restore("2100-01-01 00:00:00+00", "late");
  EXPECT_EQ(late.status, 1);
  EXPECT_THAT(late.err, HasSubstr("recovery ended before configured recovery target was reached"));
  EXPECT_FALSE(fs::exists(folder_.path() / "late/pg"));
  EXPECT_THAT(Restore("2000-01-01 00:00:00+00", "early").err,
              HasSubstr("found no base backup in "));
  EXPECT_THAT(Restore("noon'ish", "never").err, HasSubstr("--time 'noon'ish': expected a time"));

  // Restores twice, because the archive must store the WAL of both restored hubs separately.
  for (const std::string name : {"then", "again"}) {
    const bool revive = name == "again";
    const Finished restored =
        Restore(time, name, {},
                revive ? std::vector<std::string>{"--revive-keys"} : std::vector<std::string>{});
    ASSERT_EQ(restored.status, 0) << restored.out << restored.err;
    EXPECT_EQ(restored.out.find("..., submit) is revoked\n") != std::string::npos, !revive);
    const Finished verified =
        RunToEnd({ServerBinary(), {"verify", "--data", folder_.path() / name}});
    EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
    const ArchivedHub restored_hub(folder_.path() / name, archive_);
    EXPECT_EQ(restored_hub.Table(), then);
    EXPECT_EQ(restored_hub.Push(64, hub.key()), revive ? 200 : 401) << "the key from that time";
    EXPECT_EQ(restored_hub.Push(64), 200);
    EXPECT_TRUE(restored_hub.IsArchived()) << name;
    EXPECT_EQ(restored_hub.Sql("SELECT failed_count FROM pg_stat_archiver"), "0") << name;
  }
}

// A cluster's own time zone is the zone of the host that made it.
TEST_F(PointInTimeTest, a_time_without_a_zone_is_utc_and_of_two_hubs_one_must_be_named) {
  ArchivedHub hub(folder_.path() / "data", archive_);
  std::ofstream(folder_.path() / "data/pg/postgresql.conf", std::ios::app)
      << "timezone = 'Asia/Tokyo'\n";
  const std::string identifier = hub.Sql("SELECT system_identifier::text FROM pg_control_system()");
  ASSERT_EQ(hub.Base().status, 0);
  ASSERT_EQ(hub.Push(32), 200);
  const std::string then = hub.Table();
  const std::string time = hub.Sql("SELECT clock_timestamp() AT TIME ZONE 'UTC'");
  ASSERT_EQ(hub.Push(64), 200);
  ASSERT_TRUE(hub.IsArchived());
  hub.Kill();
  {
    const ArchivedHub other(folder_.path() / "other", archive_);
    ASSERT_EQ(other.Base().status, 0);
  }
  const Finished either = Restore("2100-01-01 00:00:00", "either");
  EXPECT_EQ(either.status, 1);
  EXPECT_THAT(either.err, AllOf(HasSubstr("has several hubs"), HasSubstr(identifier)));

  const Finished restored = Restore(time, "then", archive_ / identifier);
  ASSERT_EQ(restored.status, 0) << restored.out << restored.err;
  EXPECT_THAT(restored.out, HasSubstr(archive_ / identifier / "base"));
  const ArchivedHub again(folder_.path() / "then", archive_);
  EXPECT_EQ(again.Table(), then);
}

// The data folder belongs to the server's user, but root may run the backup.
TEST_F(PointInTimeTest, no_program_is_run_at_a_place_that_the_data_folder_names) {
  const fs::path data = folder_.path() / "data", ran = folder_.path() / "ran";
  const std::string identifier = "4702111234474983752";  // "HAAAAAAA"
  fs::create_directories(data / "pg/global");
  fs::create_directories(archive_ / identifier);
  fs::create_directories(folder_.path() / "bin");
  std::ofstream(data / "pg/global/pg_control") << std::string("HAAAAAAA");
  std::ofstream(data / "pg.socket") << "/nowhere\n";
  std::ofstream(data / "pg/PG_VERSION") << "../../.." << folder_.path().string() << "\n";
  std::ofstream(folder_.path() / "bin/pg_basebackup") << "#!/bin/sh\ntouch " << ran << "\n";
  fs::permissions(folder_.path() / "bin/pg_basebackup", fs::perms(0755));
  const Finished base = PointInTime({"base", "--data", data, "--archive", archive_});
  EXPECT_EQ(base.status, 1);
  EXPECT_THAT(base.err, HasSubstr("expected a version of PostgreSQL"));
  EXPECT_FALSE(fs::exists(ran));
}

}  // namespace
}  // namespace tunehub::test
