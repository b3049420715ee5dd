// deploy/point-in-time: the hub as it was between two pushes.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;

Finished PointInTime(std::vector<std::string> arguments) {
  return RunToEnd(
      {fs::path(ServerBinary()).parent_path().parent_path().parent_path().parent_path() /
           "deploy/point-in-time",
       std::move(arguments)});
}

// The embedded PostgreSQL of a server on `data`.
std::string EmbeddedUrl(const fs::path& data) {
  std::ifstream in(data / "pg.socket");
  std::string socket;
  std::getline(in, socket);
  return "host=" + socket + " port=5432 user=tunehub dbname=tunehub";
}

TEST(PointInTime, a_hub_is_as_it_was_between_two_pushes) {
  const TempDir folder;
  const fs::path data = folder.path() / "data", archive = folder.path() / "wal";
  ServerProcess server({.data = data, .environment = {{"TUNEHUB_WAL_ARCHIVE", archive}}});
  const auto push = [&, key = server.NewKey("submit")](int m) {
    return server.Client(key).Post(kResults, kHeader + Row(m, "7.5")).status;
  };
  ASSERT_EQ(push(16), 200);
  const Finished base = PointInTime({"base", "--data", data, "--archive", archive, "--keep", "1"});
  ASSERT_EQ(base.status, 0) << base.out << base.err;
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // its name has seconds
  ASSERT_EQ(push(32), 200);
  const auto then = server.Client().Get(kTable);
  const std::string url = EmbeddedUrl(data), time = QueryText(url, "SELECT clock_timestamp()");
  ASSERT_EQ(push(64), 200);
  const std::string last = QueryText(url, "SELECT pg_walfile_name(pg_switch_wal())");
  const std::string is_kept = "SELECT coalesce(last_archived_wal COLLATE \"C\" >= '" + last +
                              "', false) FROM pg_stat_archiver";
  while (QueryText(url, is_kept) != "t") std::this_thread::sleep_for(std::chrono::milliseconds(50));
  server.Kill();

  const Finished late = PointInTime({"restore", "--archive", archive, "--time",
                                     "2100-01-01 00:00:00+00", "--data", folder.path() / "late"});
  EXPECT_EQ(late.status, 1);
  EXPECT_THAT(late.err, HasSubstr("recovery ended before configured recovery target was reached"));
  EXPECT_FALSE(fs::exists(folder.path() / "late/pg"));
  const Finished early = PointInTime({"restore", "--archive", archive, "--time",
                                      "2000-01-01 00:00:00+00", "--data", folder.path() / "early"});
  EXPECT_THAT(early.err, HasSubstr("no base backup below "));

  const fs::path new_data = folder.path() / "then";
  const Finished restored =
      PointInTime({"restore", "--archive", archive, "--time", time, "--data", new_data});
  ASSERT_EQ(restored.status, 0) << restored.out << restored.err;
  const Finished verified = RunToEnd({ServerBinary(), {"verify", "--data", new_data}});
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
  ServerProcess again({.data = new_data, .environment = {{"TUNEHUB_WAL_ARCHIVE", archive}}});
  EXPECT_EQ(again.Client().Get(kTable).body, then.body);
}

}  // namespace
}  // namespace tunehub::test
