// `tunehub-server export --static` writes the server's own answers into files.
#include <fmt/core.h>

#include <csignal>
#include <pqxx/pqxx>

#include "core/base/hash.h"
#include "tests/e2e/exports/export_support.h"
#include "tests/support/comes.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::IsEmpty;
using testing::Not;

// The server's path whose answer equals an entry of index.json.
std::string TargetOf(const std::string& path, const nlohmann::json& entry, bool newest) {
  std::string query;
  for (const char* name : {"gfx", "cu_num"}) {
    if (!entry.contains(name)) continue;
    const auto& value = entry[name];
    query +=
        fmt::format("&{}={}", name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  if (!newest) query += fmt::format("&revision={}", entry["revision"].get<int>());
  return path + (query.empty() ? "" : "?" + query.substr(1));
}

TEST_F(ExportTest, every_table_and_bundle_is_what_the_server_answers) {
  const Finished exported = Export({"--revision", "1"});
  ASSERT_EQ(exported.status, 0) << exported.err;
  EXPECT_THAT(exported.out, HasSubstr("revision 2, "));
  const nlohmann::json index = Index();
  EXPECT_EQ(index["revisions"], nlohmann::json({2, 1}));
  const auto listed = JsonOf(server_->Client().Get("/revisions")).at("revisions");
  EXPECT_EQ(index["pins"], nlohmann::json({listed[0].at("pin"), listed[1].at("pin")}));
  EXPECT_EQ(index["pin"], listed[0].at("pin"));
  std::map<std::string, int> seen;
  for (const auto& [member, path] :
       {std::pair("tables", "/tuned/a8w8_blockscale"), std::pair("bundles", "/bundle")}) {
    for (const auto& entry : index[member]) {
      const std::string bytes = ReadText(Place() / entry["path"].get<std::string>());
      const bool newest = entry["revision"] == 2;
      for (const bool as_newest : {newest, false}) {
        const std::string target = TargetOf(path, entry, as_newest);
        EXPECT_TRUE(bytes == server_->Client().Get(target).body) << target << ' ' << entry;
      }
      EXPECT_EQ(entry["sha256"], core::Sha256Hex(bytes)) << entry;
      ++seen[fmt::format("{} of {}", member, entry["revision"].get<int>())];
    }
  }
  // One file for all targets, two files for architectures, three files for targets.
  EXPECT_THAT(seen, testing::UnorderedElementsAre(
                        testing::Pair("tables of 1", 6), testing::Pair("tables of 2", 6),
                        testing::Pair("bundles of 1", 6), testing::Pair("bundles of 2", 6)));
  EXPECT_EQ(index["tables"][0]["rows"], 5);
  EXPECT_TRUE(fs::exists(Place() / "tables/a8w8_blockscale/gfx942_80.csv"));
  EXPECT_FALSE(fs::exists(Place() / "tables/a8w8_blockscale/gfx950.csv"))
      << "it would equal the target's file";
  EXPECT_TRUE(fs::exists(Place() / "revisions/1/tables/a8w8_blockscale/gfx942.csv"));
}

TEST_F(ExportTest, a_revision_that_does_not_exist_leaves_nothing) {
  const Finished exported = Export({"--revision", "1", "--revision", "99"});
  EXPECT_EQ(exported.status, 2);
  EXPECT_THAT(exported.err, HasSubstr("unknown_revision"));
  EXPECT_THAT(exported.err, HasSubstr("99"));
  EXPECT_THAT(FilesBelow(dir_.path()), IsEmpty());
  EXPECT_NE(Export({"--revision", "zero"}).status, 0);
}

// A lock blocks the command after it has installed its signal handlers and before it writes its
// first file.
TEST(StaticExportTest, a_signal_ends_it_and_leaves_nothing_and_its_steps_are_on_stderr) {
  const std::string database = NewDatabase();
  const ServerProcess server({.database = database, .configs = ConfigsOfTwoModels()});
  Good(server.Client(server.NewKey("submit")).Post(kResults, kHeader + Row(1, "5.0")));
  const TempDir dir, logs;
  for (const int signal : {SIGTERM, SIGINT}) {
    pqxx::connection connection(database);
    pqxx::work holder(connection);
    holder.exec("LOCK TABLE api_key IN ACCESS EXCLUSIVE MODE");
    Program exporting({ServerBinary(),
                       {"export", "--static", dir / "site", "--database", database, "--configs",
                        ConfigsOfTwoModels()}},
                      logs.path() / "out", logs.path() / "err");
    const auto waits = [&] {
      return QueryText(database,
                       "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = "
                       "'api_key'::regclass") != "0";
    };
    ASSERT_TRUE(Comes(waits));
    exporting.Signal(signal);
    holder.abort();
    EXPECT_EQ(exporting.Wait(std::chrono::minutes(5)), 2);
    EXPECT_THAT(ReadText(logs.path() / "err"), HasSubstr("stopped: a signal stopped the export"));
    EXPECT_THAT(FilesBelow(dir.path()), IsEmpty());
    EXPECT_TRUE(fs::is_empty(dir.path()));
  }
  const Finished whole = server.Tool({"export", "--static", dir / "site"});
  EXPECT_EQ(whole.status, 0);
  EXPECT_THAT(whole.err, HasSubstr("revision 1: a8w8_blockscale\nrevision 1: bundles\n"));
}

TEST(StaticExportTest, keyed_reads_are_made_public_only_where_that_is_said) {
  ServerProcess server({.database = NewDatabase(), .configs = ConfigsOfTwoModels()});
  const HttpClient submitter = server.Client(server.NewKey("submit"));
  ASSERT_EQ(Verdict(submitter.Post(kResults, kHeader + Row(1, "5.0"))), "200");
  const TempDir dir;
  const std::vector<std::string> arguments = {"export", "--static", dir / "site"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), more.begin(), more.end());
    return server.Tool(all);
  };
  const Finished refused = with({"--reads", "key"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("reads_need_key"));
  EXPECT_THAT(refused.err, HasSubstr("--public"));
  EXPECT_THAT(FilesBelow(dir.path()), IsEmpty());
  EXPECT_EQ(with({"--reads", "key", "--public"}).status, 0);
  EXPECT_THAT(FilesBelow(dir.path()), Contains(testing::Key("site/tables/a8w8_blockscale.csv")));
  // The export does not know the server's setting. Only a read key shows that reads need keys.
  EXPECT_EQ(with({}).status, 0);
  (void)server.NewKey("read");
  EXPECT_THAT(with({}).err, HasSubstr("reads_need_key"));
  EXPECT_EQ(with({"--public"}).status, 0);
}

TEST(StaticExportTest, a_hub_without_a_row_has_nothing_to_export) {
  const ServerProcess server({.database = NewDatabase()});
  const TempDir dir;
  const Finished exported = server.Tool({"export", "--static", dir / "site"});
  EXPECT_EQ(exported.status, 2);
  EXPECT_THAT(exported.err, HasSubstr("no_rows"));
  EXPECT_THAT(FilesBelow(dir.path()), IsEmpty());
}

TEST(StaticExportTest, a_postgresql_of_its_own_is_used_beside_its_server_and_without_it) {
  const TempDir dir;
  ServerProcess server({.data = dir.path() / "data", .configs = ConfigsOfTwoModels()});
  const HttpClient submitter = server.Client(server.NewKey("submit"));
  ASSERT_EQ(Verdict(submitter.Post(kResults, kHeader + Row(1, "5.0"))), "200");
  const auto exported = [&](const char* name) {
    return server.Tool({"export", "--static", dir / name});
  };
  ASSERT_EQ(exported("beside").status, 0);
  ASSERT_EQ(server.Stop(), 0);
  ASSERT_EQ(exported("alone").status, 0);
  EXPECT_EQ(FilesBelow(dir.path() / "beside"), FilesBelow(dir.path() / "alone"));
  EXPECT_THAT(FilesBelow(dir.path() / "alone"), Not(IsEmpty()));
}

}  // namespace
}  // namespace tunehub::test
