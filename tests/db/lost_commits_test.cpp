// A restore or a failover loses commits while servers run. The servers stop serving the lost
// revisions and serve the new revisions with the same numbers. A pin never changes its meaning.
#include <chrono>
#include <cstdlib>

#include "server/db/schema.h"
#include "server/insight/coverage.h"
#include "server/keys/keys.h"
#include "server/queue/planner.h"
#include "server/snapshots/revision_store.h"
#include "tests/support/backup.h"
#include "tests/support/comes.h"
#include "tests/support/postmaster.h"
#include "tests/support/registry.h"
#include "tests/support/result.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_cluster.h"

namespace tunehub::test {
namespace {

constexpr std::chrono::seconds kNoWait{1};  // a read waits up to 2 s for its server's own commit

core::Pin HeadOf(Registry& registry) {
  return server::RevisionStore(registry.pool).ReadHeads().revision;
}

core::Result<server::Served> ServedAt(Registry& registry, const std::string& revision = "") {
  server::Parameters parameters;
  if (!revision.empty()) parameters.emplace_back("revision", revision);
  return registry.Get(parameters);
}

// The served table, or the error's code.
std::string BodyAt(Registry& registry, const std::string& revision = "") {
  const auto served = ServedAt(registry, revision);
  return served.ok() ? *served->table->body : served.error().code;
}

// The pool notices a closed connection only when it uses that connection.
void ReachAgain(Registry& registry) {
  ASSERT_TRUE(Comes([&] { return Reachable(registry.pool); }));
}

void Restore(const Backup& backup, Registry& registry) {
  backup.Restore();
  ReachAgain(registry);
}

// Writes through a new server after the restore. Each row makes a revision.
void WriteAs(const std::string& url, const std::vector<int>& sizes, const std::string& us) {
  Registry other(url);
  for (const int m : sizes) ASSERT_EQ(Refusal(other.Send(Csv({{.m = m, .us = us}}))), "");
}

std::string TableOf(const std::vector<int>& lost, const std::string& us) {
  std::vector<Line> lines = {{}};
  for (const int m : lost) lines.push_back({.m = m, .us = us});
  return Csv(lines);
}

// A server knows revisions 1 to 3, then the database loses 2 and 3. The parameter's rows make new
// revisions. The loss is hardest to detect if the numbers of revisions and writes become equal
// again.
class LostCommits : public testing::TestWithParam<std::vector<int>> {};

TEST_P(LostCommits, are_served_no_more_and_those_of_their_numbers_are) {
  const std::vector<int> fresh = GetParam();
  Registry registry;
  registry.snapshots.Start();
  registry.Send(Csv({{}}));
  const core::Pin first = HeadOf(registry);
  const Backup backup(registry.url);
  ReachAgain(registry);
  ASSERT_TRUE(Comes([&] { return !registry.snapshots.stale(); }));
  registry.Send(Csv({{.m = 32}}));
  const core::Pin second = HeadOf(registry);
  registry.Send(Csv({{.m = 64}}));
  const core::Pin third = HeadOf(registry);
  ASSERT_EQ(BodyAt(registry), TableOf({32, 64}, "10.0"));
  ASSERT_EQ(BodyAt(registry, "2"), TableOf({32}, "10.0"));
  ASSERT_EQ(BodyAt(registry, second.Text()), TableOf({32}, "10.0"));

  Restore(backup, registry);
  WriteAs(registry.url, fresh, "20.0");
  const core::Pin head = HeadOf(registry);
  ASSERT_TRUE(Comes([&] { return registry.snapshots.Current()->revision == head; }));
  EXPECT_EQ(BodyAt(registry), TableOf(fresh, "20.0"));
  EXPECT_EQ(ServedAt(registry)->revision, head);
  EXPECT_FALSE(ServedAt(registry)->stale);
  EXPECT_EQ(BodyAt(registry, first.Text()), Csv({{}})) << "this revision is older than the backup";
  EXPECT_EQ(BodyAt(registry, second.Text()), "revision_gone");
  EXPECT_EQ(BodyAt(registry, third.Text()), "revision_gone");
  EXPECT_EQ(BodyAt(registry, "2"),
            fresh.empty() ? "unknown_revision" : TableOf({fresh[0]}, "20.0"));

  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(BodyAt(registry), TableOf(fresh, "20.0"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kNoWait)
      << "the read waits for a lost commit";
  registry.Send(Csv({{.m = 512}}));
  EXPECT_EQ(ServedAt(registry)->revision.number, head.number + 1) << "reads its own write again";
}

INSTANTIATE_TEST_SUITE_P(WithRevisionsAfterwards, LostCommits,
                         testing::Values(std::vector<int>{}, std::vector<int>{128},
                                         std::vector<int>{128, 256},
                                         std::vector<int>{32, 64, 128, 256}),
                         [](const auto& it) { return std::to_string(it.param.size()); });

// This family loses its only revision. The other family loses none.
TEST(LostCommits, of_a_family_that_had_no_other_leave_it_empty) {
  Registry registry;
  registry.Send(Csv({{}}));
  const Backup backup(registry.url);
  ReachAgain(registry);
  registry.Send(Csv({{}}), {}, "a8w8_blockscale_bpreshuffle");
  registry.snapshots.Refresh();
  ASSERT_EQ(registry.Table("", "a8w8_blockscale_bpreshuffle"), Csv({{}}));
  Restore(backup, registry);
  EXPECT_EQ(registry.Table("", "a8w8_blockscale_bpreshuffle"), "no_rows");
  EXPECT_EQ(registry.Table(), Csv({{}}));
}

// The backup is older than the migration to the newer server's family file.
TEST(LostCommits, with_a_servers_family_file_end_that_family_for_it_and_no_other) {
  Registry older;
  older.Send(Csv({{}}));
  older.Send(Csv({{}}), {}, "a8w8_blockscale_bpreshuffle");
  const Backup backup(older.url);
  ReachAgain(older);
  Registry newer(older.url,
                 FamiliesWith("a8w8_blockscale", [](auto& json) { json["error_limit"] = 0.1; }));
  newer.Send(Csv({{.m = 32}}));
  newer.snapshots.Refresh();
  ASSERT_EQ(BodyAt(newer), Csv({{}, {.m = 32}}));
  Restore(backup, newer);
  for (int i = 0; i < 2; ++i) {
    newer.snapshots.Refresh();
    EXPECT_EQ(BodyAt(newer), "definitions_changed");
    EXPECT_THROW(newer.snapshots.Current(newer.family()), server::Unavailable);
    EXPECT_EQ(newer.Table("", "a8w8_blockscale_bpreshuffle"), Csv({{}}));
    // Services that read all families skip the lost family.
    server::DispatchTables tables(newer.definitions, newer.snapshots);
    server::CoverageService coverage(newer.definitions, newer.pool, tables);
    EXPECT_NO_THROW(coverage.OfKnown(8, nullptr, {}));
    server::Planner planner(newer.definitions, newer.pool, newer.snapshots);
    server::PlanRequest request;
    request.target = {"gfx942", 304};
    for (const char* name : {"a8w8_blockscale", "a8w8_blockscale_bpreshuffle"})
      request.families.push_back(newer.definitions.families.Find(name));
    EXPECT_NO_THROW(planner.Plan(request, {}));
    ReachAgain(older);
    older.Send(Csv({{.m = 64}}), {}, i == 0 ? "a8w8_blockscale" : "a8w8_blockscale_bpreshuffle");
  }
  newer.snapshots.Refresh();
  EXPECT_EQ(newer.Table("", "a8w8_blockscale_bpreshuffle"), Csv({{}, {.m = 64}}));
}

// The server has not read its own commit yet, so its snapshot's revision survives the restore.
TEST(LostCommits, of_its_own_that_no_set_has_are_not_waited_for) {
  Registry registry;
  registry.Send(Csv({{}}));
  registry.snapshots.Refresh();
  const Backup backup(registry.url);
  ReachAgain(registry);
  registry.Send(Csv({{.m = 32}}));
  Restore(backup, registry);
  registry.snapshots.Refresh();
  EXPECT_FALSE(ServedAt(registry)->stale);
  EXPECT_EQ(BodyAt(registry), Csv({{}}));
}

// The database has the revision that the server committed last, but not that of its snapshot.
TEST(LostCommits, that_a_server_missed_are_gone_where_it_has_committed_on_the_new_history) {
  Registry registry;
  registry.Send(Csv({{}}));
  const Backup backup(registry.url);
  ReachAgain(registry);
  registry.Send(Csv({{.m = 32}}));
  registry.snapshots.Refresh();
  Restore(backup, registry);
  WriteAs(registry.url, {64, 128}, "10.0");
  registry.Send(Csv({{.m = 256}}));
  registry.snapshots.Refresh();
  EXPECT_EQ(ServedAt(registry)->revision, HeadOf(registry));
  EXPECT_EQ(BodyAt(registry), TableOf({64, 128, 256}, "10.0"));
}

// The server's snapshot is older than the revision that it reads from the database.
TEST(LostCommits, that_were_read_by_their_number_alone_are_kept_no_longer) {
  Registry registry;
  registry.Send(Csv({{}}));
  registry.snapshots.Refresh();
  const Backup backup(registry.url);
  ReachAgain(registry);
  WriteAs(registry.url, {32}, "10.0");
  ASSERT_EQ(BodyAt(registry, "2"), TableOf({32}, "10.0"));
  Restore(backup, registry);
  WriteAs(registry.url, {64}, "20.0");
  registry.snapshots.Refresh();
  EXPECT_EQ(BodyAt(registry, "2"), TableOf({64}, "20.0"));
}

// A losing row makes no revision, so cached answers that choose among candidates use the number of
// writes.
TEST(LostCommits, that_made_no_revision_are_told_from_those_of_their_number) {
  Registry registry;
  registry.Send(Csv({{}}));
  const Backup backup(registry.url);
  ReachAgain(registry);
  const auto lose = [&](const std::string& us) {
    Registry other(registry.url);
    other.Send(Csv({{.kernel = "b", .us = us, .libtype = "asm"}}));
  };
  lose("30.0");
  ASSERT_EQ(registry.Table("libtype=asm"), Csv({{.kernel = "b", .us = "30.0", .libtype = "asm"}}));
  Restore(backup, registry);
  lose("40.0");
  EXPECT_EQ(registry.Table("libtype=asm"), Csv({{.kernel = "b", .us = "40.0", .libtype = "asm"}}));
}

TEST(LostCommits, of_keys_end_them_and_those_of_their_number_are_known) {
  Registry registry;
  server::Keys keys(registry.pool);
  ASSERT_TRUE(keys.Create("read", {}).ok());
  const Backup backup(registry.url);
  ReachAgain(registry);
  const std::string lost = keys.Create("admin", {})->secret;
  keys.Refresh();
  ASSERT_EQ(keys.Check(lost, "admin").verdict, server::KeyVerdict::kGranted);
  Restore(backup, registry);
  keys.Refresh();
  EXPECT_EQ(keys.Check(lost, "admin").verdict, server::KeyVerdict::kUnknown);
  Restore(backup, registry);
  const std::string again = keys.Create("admin", {})->secret;
  keys.Refresh();
  Restore(backup, registry);
  const std::string fresh = server::Keys(registry.pool).Create("admin", {})->secret;
  keys.Refresh();
  EXPECT_EQ(keys.Check(again, "admin").verdict, server::KeyVerdict::kUnknown);
  EXPECT_EQ(keys.Check(fresh, "admin").verdict, server::KeyVerdict::kGranted);
}

// The test copies PostgreSQL's folder while PostgreSQL is down, and puts the copy back after a
// later kill.
TEST(LostCommits, by_a_folder_that_is_put_back_and_none_by_a_restart) {
  const TempDir dir;
  auto cluster = Must(embedded::Cluster::Start(
      {.data_dir = dir.path() / "db", .extra_settings = {{"fsync", "off"}}}));
  const std::string url = cluster->ConnectionString();
  const auto copy = [&](const std::string& from, const std::string& to) {
    const std::string base = dir.path().string() + "/";
    ASSERT_EQ(
        std::system(("rm -rf " + base + to + " && cp -a " + base + from + " " + base + to).c_str()),
        0);
  };
  const auto start_again = [&](const std::function<void()>& meanwhile) {
    KillPostmaster(url);
    ASSERT_TRUE(Comes([&] { return !cluster->Alive(); }));
    meanwhile();
    ASSERT_TRUE(cluster->Restart().ok());
  };
  server::ConnectionPool pool(url);
  ASSERT_TRUE(server::Schema(pool).Migrate().ok());
  Registry registry(url);
  registry.snapshots.Start();
  registry.Send(Csv({{}}));
  const core::Pin first = HeadOf(registry);
  start_again([&] { copy("db/pg", "copy"); });
  ASSERT_TRUE(Comes([&] { return !registry.snapshots.stale(); }));
  EXPECT_EQ(HeadOf(registry), first) << "a clean start ends no pin";
  EXPECT_EQ(BodyAt(registry, first.Text()), Csv({{}}));
  registry.Send(Csv({{.m = 32}}));
  const core::Pin second = HeadOf(registry);
  ASSERT_EQ(ServedAt(registry)->revision, second);

  start_again([&] { copy("copy", "db/pg"); });
  ASSERT_TRUE(Comes([&] { return registry.snapshots.Current()->revision == first; }));
  WriteAs(url, {64}, "20.0");
  EXPECT_TRUE(Comes([&] { return BodyAt(registry) == TableOf({64}, "20.0"); }));
  EXPECT_EQ(BodyAt(registry, second.Text()), "revision_gone");
  EXPECT_EQ(BodyAt(registry, first.Text()), Csv({{}}));
}

}  // namespace
}  // namespace tunehub::test
