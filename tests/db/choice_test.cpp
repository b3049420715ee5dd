// Filters that choose among candidates, not among tuned rows.
#include <limits>
#include <map>
#include <utility>

#include "server/tables/measurement_store.h"
#include "tests/db/filled_registry.h"
#include "tests/support/comes.h"
#include "tests/support/registry.h"
#include "tests/support/result.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

using Choice = RegistryTest;

TEST_F(Choice, libtype_takes_the_best_of_the_candidates_it_allows) {
  registry.Send(Csv({{.kernel = "fast", .us = "10", .libtype = "cktile"},
                     {.kernel = "slow", .us = "30", .libtype = "ck"},
                     {.kernel = "mid", .us = "20", .libtype = "ck"},
                     {.m = 32, .kernel = "only", .libtype = "cktile"}}));
  EXPECT_EQ(registry.Table("libtype=ck"), Csv({{.kernel = "mid", .us = "20", .libtype = "ck"}}));
  EXPECT_EQ(registry.Table("libtype=ck,cktile"), registry.Table());
  EXPECT_EQ(registry.Table("libtype=asm"), "no_rows");
}

// A server's read waits for its own last batch, even if that batch made no revision.
TEST_F(Choice, a_writer_reads_what_it_wrote_without_a_revision) {
  registry.snapshots.Start();
  registry.Send(
      Csv({{.kernel = "fast", .us = "10", .libtype = "cktile"}, {.kernel = "slow", .us = "30"}}));
  const auto body = [&] { return *registry.Get({{"libtype", "ck"}})->table->body; };
  EXPECT_EQ(body(), Csv({{.kernel = "slow", .us = "30"}}));
  registry.Send(Csv({{.kernel = "mid", .us = "20"}}));
  EXPECT_EQ(registry.Revision(), 1);
  EXPECT_EQ(body(), Csv({{.kernel = "mid", .us = "20"}}));
}

// Each statement uses the pool, so the test counts uses of the pool.
TEST_F(Choice, stays_ready_when_another_family_is_written_and_asks_the_database_nothing) {
  registry.snapshots.Start();
  registry.Send(Csv({{.kernel = "fast", .us = "10", .libtype = "cktile"}, {.kernel = "slow"}}));
  server::ConnectionPool pool(registry.url);
  server::TunedTables tables(registry.definitions, pool, registry.snapshots, registry.versions,
                             1 << 20, nullptr);
  const auto& family = registry.family();
  const auto query =
      Must(server::ParseTunedQuery(family, registry.definitions.targets, {{"libtype", "ck"}}));
  const auto get = [&] {
    return Must(tables.Get(family, query, server::Encoding::kIdentity)).table;
  };
  const auto first = get();
  const auto write = [&](std::string_view name, const std::string& csv) {
    ASSERT_EQ(Refusal(registry.Send(csv, {}, name)), "");
    ASSERT_TRUE(Comes([&] { return registry.snapshots.KnowsEvidence(); }));
  };
  write("bf16",
        "gfx,cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,libtype,solidx,splitK,us,"
        "kernelName,err_ratio,tflops,bw\ngfx950,256,16,128,256,False,torch.bfloat16,"
        "torch.bfloat16,False,False,hipblaslt,1,0,500.0,Cijk_a,0.0,1,1\n");
  const auto before = pool.waits().Read().counts;
  const auto found = tables.Find(family, query, server::Encoding::kIdentity);
  ASSERT_TRUE(found);
  EXPECT_EQ(Must(*found).table, first);
  EXPECT_EQ(get(), first);
  EXPECT_EQ(pool.waits().Read().counts, before);
  write("a8w8_blockscale", Csv({{.kernel = "slow", .us = "20"}}));
  EXPECT_FALSE(tables.Find(family, query, server::Encoding::kIdentity));
  EXPECT_NE(get(), first);
  EXPECT_NE(pool.waits().Read().counts, before);
}

// Reads with filters and served tables use different statements, which must choose the same rows.
TEST(ChoiceOfAll, is_what_is_served) {
  Registry filled(FilledDatabase());
  filled.Send(Csv({{.m = 7, .us = "10", .error = "0.01"},
                   {.m = 7, .kernel = "b", .us = "10", .error = "0.01", .libtype = "cktile"},
                   {.m = 7, .kernel = "c", .us = "10", .error = "0.02"}}));
  server::MeasurementStore store(filled.pool);
  std::size_t chosen = 0;
  for (const auto& [name, id] : filled.definitions.ids) {
    server::BestWanted all{.known = std::numeric_limits<std::int64_t>::max()};
    for (const auto& it : store.ReadCandidates(id)) all.candidates.push_back(it.candidate);
    for (const server::BestRecord& best : store.ReadBest(id, all)) {
      EXPECT_FALSE(best.line) << name << " " << *best.line;
      ++chosen;
    }
  }
  EXPECT_EQ(chosen, static_cast<std::size_t>(filled.Count("tuned WHERE measurement IS NOT NULL")));
}

// Each kind of write that adds or withdraws a family's measurements, even without a revision.
TEST_F(Choice, evidence_is_renewed_by_each_write_to_the_family_alone) {
  const auto id = registry.definitions.Id(registry.family());
  std::map<std::int16_t, core::Pin> known =
      server::RevisionStore(registry.pool).ReadHeads().evidence;
  const auto renewed = [&] {
    auto now = server::RevisionStore(registry.pool).ReadHeads().evidence;
    const auto before = std::exchange(known, now);
    const bool own = now.at(id) != before.at(id);
    now.at(id) = before.at(id);
    return now == before && own;
  };
  const auto run = RunOf(registry.Send(Csv({{}})));
  EXPECT_TRUE(renewed());
  registry.Send(Csv({{.kernel = "slow", .us = "20"}}));
  EXPECT_TRUE(renewed()) << "no revision";
  EXPECT_EQ(known.at(id).number, 2) << "rows";
  registry.Import("tree", {{kTreeFile, Csv({{.us = "11"}})}});
  EXPECT_TRUE(renewed());
  const auto again = RunOf(registry.Import("tree", {{kTreeFile, Csv({{.us = "11"}})}}));
  EXPECT_TRUE(renewed()) << "the same rows in a newer run";
  ASSERT_TRUE(server::RevertRun(registry.pool, again, {}).ok());
  EXPECT_TRUE(renewed()) << "no row moved";
  ASSERT_TRUE(server::RevertRun(registry.pool, run, {}).ok());
  EXPECT_TRUE(renewed());
  registry.Send(Csv({{.kernel = "dry"}}), {.dry_run = true});
  EXPECT_FALSE(renewed());
}

TEST_F(Choice, source_serves_the_rows_of_its_import_in_force_alone) {
  registry.Send(Csv({{.kernel = "fast", .us = "1"}, {.m = 64, .kernel = "alone"}}));
  registry.Import("tree", {{kTreeFile, Csv({{.us = "10"}, {.us = "20", .libtype = "cktile"}})}});
  registry.Import("tree", {{kTreeFile, Csv({{.us = "11"}, {.m = 32, .kernel = "b", .us = "0"}})}});
  registry.Import("other", {{kTreeFile, Csv({{.us = "2"}})}});
  const std::string whole = Csv({{.us = "11"}, {.m = 32, .kernel = "b", .us = "0"}});
  EXPECT_EQ(registry.Table("source=tree"), whole);
  EXPECT_EQ(registry.Table("source=tree&M=32&M=64"), Csv({{.m = 32, .kernel = "b", .us = "0"}}));
  EXPECT_EQ(registry.Table("source=tree&measured=only"), Csv({{.us = "11"}}));
  EXPECT_EQ(registry.Table("source=tree&libtype=cktile"), "no_rows");
  EXPECT_EQ(registry.Table("source=tree&since=2100-01-01"), "no_rows");
  EXPECT_EQ(registry.Table("source=other"), Csv({{.us = "2"}}));
  EXPECT_EQ(registry.Table("source=tre"), "unknown_source");
  EXPECT_EQ(registry.Table("source="), "bad_parameter");
  EXPECT_EQ(registry.Table("source=tree&revision=1"), "bad_parameter");
}

TEST_F(Choice, source_follows_reverts) {
  const auto run = [&](const std::string& us) {
    return RunOf(registry.Import("tree", {{kTreeFile, Csv({{.us = us}})}}));
  };
  const auto first = run("10"), second = run("11");
  EXPECT_EQ(registry.Table("source=tree"), Csv({{.us = "11"}}));
  ASSERT_TRUE(server::RevertRun(registry.pool, second, {}).ok());
  EXPECT_EQ(registry.Table("source=tree"), Csv({{.us = "10"}}));
  ASSERT_TRUE(server::RevertRun(registry.pool, first, {}).ok());
  EXPECT_EQ(registry.Table("source=tree"), "no_rows");
}

}  // namespace
}  // namespace tunehub::test
