// A backup contains one state, even while clients write. A restore writes all of it, or nothing if
// the backup is damaged.
#include "server/ops/backup.h"

#include <gmock/gmock.h>

#include <atomic>
#include <fstream>
#include <set>
#include <thread>

#include "server/db/connection_url.h"
#include "tests/db/filled_registry.h"
#include "tests/support/registry.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"
#include "tests/support/sql.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_cluster.h"
#include "tests/support/verify.h"

namespace tunehub::test {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;

core::Result<server::BackupManifest> BackUp(Registry& registry, const fs::path& place) {
  return server::MakeBackup(registry.pool, {registry.url, place, "0.2"});
}

core::Result<server::BackupManifest> RestoreInto(const std::string& url, const fs::path& place,
                                                 bool replace = false) {
  server::ConnectionPool pool(url);
  auto restored = server::Restore(pool, {url, place, replace});
  if (!restored.ok()) return restored.error();
  return std::move(restored->manifest);
}

// The hub's tables at every revision, and all receipts.
std::string AllTables(const std::string& url) {
  Registry registry(url);
  std::string all;
  for (const char* family : {"a8w8_blockscale", "a8w8_blockscale_bpreshuffle"}) {
    for (const char* query : {"allow_empty=1", "allow_empty=1&format=json&provider=tunehub",
                              "allow_empty=1&source=tree", "allow_empty=1&measured=tuned"}) {
      all += registry.Table(query, family) + "\n";
    }
    for (std::int64_t number = 0; number <= registry.Revision(); ++number) {
      all += registry.Table("allow_empty=1&revision=" + std::to_string(number), family) + "\n";
    }
  }
  return all + QueryText(url, "SELECT string_agg(id || receipt, '' ORDER BY id) FROM batch");
}

void WriteText(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

std::set<std::string> NamesIn(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

// The one backup that all tests read or copy.
const fs::path& MadeBackup() {
  static const TempDir folder;
  static const fs::path place = [] {
    Registry registry(FilledDatabase());
    EXPECT_EQ(ErrorCode(BackUp(registry, folder.path() / "made")), "");
    return folder.path() / "made";
  }();
  return place;
}

TEST(Backup, comes_back_with_every_byte) {
  const std::string before = FilledDatabase(), after = NewDatabase();
  const auto restored = RestoreInto(after, MadeBackup());
  ASSERT_EQ(ErrorCode(restored), "") << restored.error().detail;
  EXPECT_EQ(AllTables(after), AllTables(before));
  Registry registry(after);
  EXPECT_EQ(restored->hub.revision.number, registry.Revision());
  EXPECT_EQ(restored->hub.measurements, registry.Count("measurement"));
  EXPECT_EQ(WhatDoesNotHold(registry.pool), "");
  registry.Send(Csv({{.m = 16, .us = "2"}}));  // the next revision follows the restored one
  EXPECT_EQ(registry.Revision(), restored->hub.revision.number + 1);
}

TEST(Backup, is_one_state_while_others_write) {
  Registry registry;
  const TempDir folder;
  std::atomic<bool> stop = false;
  std::atomic<int> sent = 0;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 3; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0; !stop; ++i) {
        const std::string us = std::to_string(1000 - i);
        registry.Send(Csv({{.m = 1 + i % 7, .kernel = "w" + std::to_string(writer), .us = us},
                           {.m = 8 + i % 3, .us = us}}));
        ++sent;
      }
    });
  }
  for (int round = 0; round < 4; ++round) {
    const fs::path place = folder.path() / std::to_string(round);
    while (sent < 10 * (round + 1)) std::this_thread::yield();
    const auto acknowledged = registry.Count("measurement");
    const auto made = BackUp(registry, place);
    ASSERT_EQ(ErrorCode(made), "");
    const std::string url = NewDatabase();
    ASSERT_EQ(ErrorCode(RestoreInto(url, place)), "");
    Registry restored(url);
    EXPECT_EQ(restored.Revision(), made->hub.revision.number);
    EXPECT_EQ(restored.Count("measurement"), made->hub.measurements);
    EXPECT_GE(made->hub.measurements, acknowledged);
    EXPECT_EQ(WhatDoesNotHold(restored.pool), "");
  }
  stop = true;
  for (std::thread& writer : writers) writer.join();
}

TEST(Backup, replaces_an_empty_folder_and_one_of_before_and_nothing_else) {
  Registry registry;
  const TempDir folder;
  const fs::path place = folder.path() / "hub";
  fs::create_directory(place);
  EXPECT_EQ(ErrorCode(BackUp(registry, place)), "");
  EXPECT_EQ(ErrorCode(BackUp(registry, place)), "");
  WriteText(place / "letter", "mine");
  const auto refused = BackUp(registry, place);
  EXPECT_EQ(ErrorCode(refused), "not_a_backup");
  EXPECT_THAT(refused.error().detail, HasSubstr("contains 'letter', which does not belong"));
  fs::remove(place / "letter");
  fs::remove(place / "manifest.json");
  EXPECT_EQ(ErrorCode(BackUp(registry, place)), "not_a_backup");
  EXPECT_EQ(ErrorCode(BackUp(registry, place / "database" / "toc.dat")), "not_a_backup");
  EXPECT_THAT(NamesIn(folder.path()), testing::ElementsAre("hub"));
}

TEST(Backup, one_that_fails_leaves_the_one_of_before) {
  Registry registry;
  const TempDir folder;
  const fs::path place = folder.path() / "hub";
  ASSERT_EQ(ErrorCode(BackUp(registry, place)), "");
  const std::string before = ReadText(place / "manifest.json");
  const auto failed =
      server::MakeBackup(registry.pool, {registry.url + " dbname=nowhere", place, "0.2"});
  EXPECT_EQ(ErrorCode(failed), "backup_failed");
  EXPECT_THAT(failed.error().detail, HasSubstr("database \"nowhere\" does not exist"));
  EXPECT_EQ(ReadText(place / "manifest.json"), before);
  EXPECT_THAT(NamesIn(folder.path()), testing::ElementsAre("hub"));
}

// Expects that the restore fails with `says` and leaves the database empty.
void ExpectRefused(const fs::path& place, const std::string& says) {
  static const std::string url = NewDatabase();
  const auto refused = RestoreInto(url, place);
  ASSERT_FALSE(refused.ok()) << says;
  EXPECT_THAT(refused.error().code, testing::AnyOf("bad_backup", "no_backup")) << says;
  EXPECT_THAT(refused.error().detail, HasSubstr(says));
  server::ConnectionPool pool(url);
  EXPECT_EQ(server::BackupStore(pool).Content().tables, 0) << says;
}

TEST(Backup, any_damaged_part_is_named_before_anything_changes) {
  const auto manifest = Must(server::ReadManifest(MadeBackup()));
  ASSERT_GT(manifest.parts.size(), 10u);
  std::vector<std::string> files = {"manifest.json"};
  for (const server::Part& part : manifest.parts) files.push_back(part.name);
  for (const std::string& name : files) {
    const TempDir folder;
    const fs::path place = folder.path() / "copy";
    const std::string text = ReadText(MadeBackup() / name);
    const auto damage = [&](const std::string& bytes) {
      fs::copy(MadeBackup(), place,
               fs::copy_options::recursive | fs::copy_options::overwrite_existing);
      WriteText(place / name, bytes);
    };
    for (const std::size_t at : {std::size_t{0}, text.size() / 2, text.size() - 1}) {
      std::string flipped = text;
      flipped[at] = static_cast<char>(flipped[at] ^ 1);
      damage(flipped);
      ExpectRefused(place, name);
    }
    damage(text.substr(0, text.size() - 1));
    ExpectRefused(place, name);
    damage("");
    ExpectRefused(place, name);
    fs::remove(place / name);
    ExpectRefused(place, name);
  }
}

TEST(Backup, each_number_of_a_manifest_is_covered_by_its_digest) {
  const TempDir folder;
  const fs::path place = folder.path() / "copy";
  fs::copy(MadeBackup(), place, fs::copy_options::recursive);
  const std::string text = ReadText(place / "manifest.json");
  for (const char* member :
       {"\"revision\": ", "\"schema\": ", "\"measurements\": ", "\"made\": \""}) {
    std::string changed = text;
    const std::size_t at = changed.find(member) + std::string(member).size();
    changed[at] = changed[at] == '3' ? '2' : '3';
    WriteText(place / "manifest.json", changed);
    ExpectRefused(place, "manifest.json: is damaged");
  }
}

TEST(Backup, a_file_that_its_manifest_does_not_name_is_refused) {
  const TempDir folder;
  fs::copy(MadeBackup(), folder.path() / "copy", fs::copy_options::recursive);
  WriteText(folder.path() / "copy/database/9999.dat", "");
  ExpectRefused(folder.path() / "copy", "database/9999.dat is not in the manifest");
}

// pg_dump reads a snapshot that the store's connection exported, so it must use the store's server.
TEST(Backup, of_several_hosts_pg_dump_takes_the_one_that_the_store_takes) {
  using Environment = std::map<std::string, std::string>;
  const auto of = [](const std::string& url) { return *server::ConnectionEnvironment(url); };
  EXPECT_EQ(of("postgresql://hub:p%20w@a:1,b:2/tunehub"),
            (Environment{{"PGHOST", "a,b"},
                         {"PGPORT", "1,2"},
                         {"PGUSER", "hub"},
                         {"PGPASSWORD", "p w"},
                         {"PGDATABASE", "tunehub"},
                         {"PGTARGETSESSIONATTRS", "read-write"}}));
  EXPECT_EQ(of("host=a,b target_session_attrs=primary").at("PGTARGETSESSIONATTRS"), "primary");
  EXPECT_EQ(of("host=a"), (Environment{{"PGHOST", "a"}}));
  // If the URL names no hosts, the environment or a service file may name several hosts.
  ::setenv("PGHOST", "a,b", 1);
  EXPECT_EQ(of("dbname=hub").at("PGTARGETSESSIONATTRS"), "read-write");
  ::setenv("PGTARGETSESSIONATTRS", "any", 1);
  EXPECT_FALSE(of("dbname=hub").contains("PGTARGETSESSIONATTRS"))
      << "pg_dump reads the variable itself";
  EXPECT_FALSE(of("host=a,b").contains("PGTARGETSESSIONATTRS"));
  ::unsetenv("PGTARGETSESSIONATTRS");
  const TempDir dir;
  WriteText(dir.path() / "services", "[hub]\nhost=a,b\n");
  ::unsetenv("PGHOST");
  ::setenv("PGSERVICEFILE", (dir.path() / "services").c_str(), 1);
  EXPECT_EQ(of("service=hub").at("PGTARGETSESSIONATTRS"), "read-write");
  ::unsetenv("PGSERVICEFILE");
}

TEST(Restore, into_a_database_that_is_not_empty_needs_to_be_told_so) {
  Registry registry;
  registry.Send(Csv({{.m = 7, .us = "7"}}));
  const std::string before = AllTables(registry.url);
  const auto refused = RestoreInto(registry.url, MadeBackup());
  EXPECT_EQ(ErrorCode(refused), "database_not_empty");
  EXPECT_THAT(refused.error().detail, HasSubstr("(agent, "));
  EXPECT_EQ(AllTables(registry.url), before);
  ASSERT_EQ(ErrorCode(RestoreInto(registry.url, MadeBackup(), true)), "");
  EXPECT_EQ(AllTables(registry.url), AllTables(FilledDatabase()));
  // A restored database can be backed up and restored again.
  const TempDir folder;
  Registry again(registry.url);
  ASSERT_EQ(ErrorCode(BackUp(again, folder.path() / "again")), "");
  ASSERT_EQ(ErrorCode(RestoreInto(registry.url, folder.path() / "again", true)), "");
  EXPECT_EQ(AllTables(registry.url), AllTables(FilledDatabase()));
}

// The dump is cut short, but its digests match.
TEST(Restore, one_that_fails_in_the_middle_changes_nothing) {
  const TempDir folder;
  const fs::path place = folder.path() / "copy";
  fs::copy(MadeBackup(), place, fs::copy_options::recursive);
  auto manifest = *server::ReadManifest(place);
  fs::path largest;
  for (const auto& entry : fs::directory_iterator(place / "database")) {
    if (entry.path().extension() != ".gz") continue;
    if (largest.empty() || entry.file_size() > fs::file_size(largest)) largest = entry.path();
  }
  fs::resize_file(largest, fs::file_size(largest) / 2);
  manifest.parts = *server::DigestParts(place);
  WriteText(place / "manifest.json", manifest.Text());

  Registry registry;
  registry.Send(Csv({{.m = 7, .us = "7"}}));
  const std::string before = AllTables(registry.url);
  EXPECT_EQ(ErrorCode(RestoreInto(registry.url, place, true)), "restore_failed");
  EXPECT_EQ(AllTables(registry.url), before);
}

TEST(Restore, refuses_a_backup_of_another_program) {
  const TempDir folder;
  const fs::path place = folder.path() / "copy";
  fs::copy(MadeBackup(), place, fs::copy_options::recursive);
  auto manifest = *server::ReadManifest(place);
  manifest.hub.schema = 999;
  manifest.hub.migration = "V999__later";
  WriteText(place / "manifest.json", manifest.Text());
  const auto refused = RestoreInto(NewDatabase(), place);
  EXPECT_EQ(ErrorCode(refused), "newer_schema");
  EXPECT_THAT(refused.error().detail, HasSubstr("has schema version 999 (V999__later"));
}

TEST(Retention, keeps_the_newest_and_whatever_is_no_backup) {
  const TempDir folder;
  const auto make = [&](const std::string& name, bool whole) {
    fs::create_directory(folder.path() / name);
    if (whole) WriteText(folder.path() / name / "manifest.json", "{}");
  };
  for (int day = 1; day <= 5; ++day) make("2026-01-0" + std::to_string(day) + "T12-00-00Z", true);
  make("2025-01-01T12-00-00Z", false);  // without a manifest this folder is no backup
  make("2026-01-01", true);
  make(".removed.2026-01-01T00-00-00Z", true);  // left by a removal that was killed
  const auto removed = Must(server::RemoveOld(folder.path(), 2));
  EXPECT_THAT(removed, testing::ElementsAre("2026-01-01T12-00-00Z", "2026-01-02T12-00-00Z",
                                            "2026-01-03T12-00-00Z"));
  EXPECT_THAT(NamesIn(folder.path()),
              testing::ElementsAre("2025-01-01T12-00-00Z", "2026-01-01", "2026-01-04T12-00-00Z",
                                   "2026-01-05T12-00-00Z"));
  EXPECT_EQ(server::NameAt(std::chrono::system_clock::time_point()), "1970-01-01T00-00-00Z");
}

}  // namespace
}  // namespace tunehub::test
