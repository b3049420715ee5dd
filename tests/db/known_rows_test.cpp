// An import stores only rows that its source lacked. The tests count rows and bytes of WAL.
#include "server/ingest/revert_store.h"
#include "server/ingest/run_store.h"
#include "tests/db/days.h"
#include "tests/support/registry.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

using KnownRows = RegistryTest;

std::vector<Line> ManyLines(int rows) {
  std::vector<Line> lines;
  for (int m = 1; m <= rows; ++m) lines.push_back({.m = m, .us = std::to_string(m + 10)});
  return lines;
}

nlohmann::json ImportTree(Registry& registry, const std::vector<Line>& lines,
                          const Post& post = {}) {
  return Receipt(registry.Import("tree", {{kTreeFile, Csv(lines)}}, post));
}

std::int64_t IdOf(const nlohmann::json& receipt) {
  return receipt.at("run").get<std::int64_t>();
}

// The bytes of WAL that the cluster has written so far.
std::int64_t WalBytes(const Registry& registry) {
  return std::stoll(QueryText(registry.url, "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"));
}

std::string Sizes(const Registry& registry) {
  return QueryText(
      registry.url,
      "SELECT string_agg(relname || ' ' || pg_relation_size(oid), ', ' ORDER BY relname) "
      "FROM pg_class WHERE relname IN ('measurement', 'candidate', 'tuned', "
      "'tuned_history', 'measurement_identity', 'measurement_source')");
}

TEST_F(KnownRows, the_same_import_again_stores_its_run_and_a_pointer) {
  const auto lines = ManyLines(2'000);
  const std::int64_t at_first = WalBytes(registry);
  const auto first = ImportTree(registry, lines);
  const std::int64_t for_first = WalBytes(registry) - at_first;
  const std::string sizes = Sizes(registry), winners = registry.Winners();
  const std::int64_t before = WalBytes(registry);
  const auto again = ImportTree(registry, lines);
  EXPECT_LT(WalBytes(registry) - before, 32 * 1024) << "the first wrote " << for_first;
  EXPECT_EQ(Sizes(registry), sizes);
  EXPECT_EQ(registry.Count("measurement"), 2'000);
  EXPECT_EQ(registry.Winners(), winners);
  EXPECT_EQ(again["stored"], 0);
  EXPECT_EQ(again["unchanged"], 2'000);
  EXPECT_EQ(again["changed"], 0);
  EXPECT_EQ(again["accepted"], first["accepted"]);
  EXPECT_EQ(again["files"], first["files"]);
  EXPECT_FALSE(again.contains("revision"));
  EXPECT_TRUE(server::RunStore(registry.pool).Find(IdOf(again))->active);
  EXPECT_FALSE(server::RunStore(registry.pool).Find(IdOf(first))->active);
  EXPECT_LT(std::stoi(QueryText(
                registry.url, "SELECT pg_column_size(b.*) FROM batch b ORDER BY id DESC LIMIT 1")),
            600);
}

// The two files' bytes differ, so the hub reads and looks up every row.
TEST_F(KnownRows, ten_rows_of_two_thousand_are_stored_where_ten_have_changed) {
  auto lines = ManyLines(2'000);
  const auto first = ImportTree(registry, lines);
  for (int i = 0; i < 10; ++i) lines[static_cast<std::size_t>(i * 7)].us = "5.5";
  const std::int64_t before = WalBytes(registry);
  const auto second = ImportTree(registry, lines);
  EXPECT_LT(WalBytes(registry) - before, 512 * 1024);
  EXPECT_EQ(second["stored"], 10);
  EXPECT_EQ(second["won"], 10);
  EXPECT_EQ(second["changed"], 10);
  EXPECT_EQ(second["unchanged"], 1'990);
  EXPECT_EQ(registry.Count("measurement"), 2'010);
  EXPECT_EQ(registry.Table("source=tree"), Csv(lines));
  // The same rows in another order count as the same import.
  std::swap(lines[3], lines[4]);
  const auto third = ImportTree(registry, lines);
  EXPECT_EQ(third["stored"], 0);
  EXPECT_EQ(third["changed"], 0);
  const auto repeated = server::RunStore(registry.pool).ListRepeated(IdOf(third));
  ASSERT_EQ(repeated.size(), 2u);
  EXPECT_EQ(repeated[0].rows, 1'990);
  EXPECT_EQ(repeated[1].rows, 10);
  ASSERT_TRUE(server::RevertRun(registry.pool, IdOf(third), {}).ok());
  ASSERT_TRUE(server::RevertRun(registry.pool, IdOf(second), {}).ok());
  EXPECT_EQ(registry.Table(), Csv(ManyLines(2'000)));
  EXPECT_EQ(registry.Table("source=tree"), Csv(ManyLines(2'000)));
}

TEST_F(KnownRows, a_replay_of_a_repeated_import_has_its_receipt) {
  ImportTree(registry, {{}, {.us = "0", .libtype = "cktile"}});
  const std::vector<core::TarFile> files = {
      {kTreeFile, Csv({{}, {.us = "0", .libtype = "cktile"}})}};
  const auto again = registry.Import("tree", files, {.idempotency_key = "k"});
  const auto replay = registry.Import("tree", files, {.idempotency_key = "k"});
  EXPECT_TRUE(replay.replayed);
  EXPECT_EQ(replay.receipt, again.receipt);
  EXPECT_EQ(Receipt(again)["files"][0]["unmeasured_count"], 1);
  EXPECT_EQ(Refusal(registry.Import("tree", files, {.idempotency_key = "k", .digest = "other"})),
            "idempotency_key_reused");
  EXPECT_EQ(registry.Count("run"), 2);
  const auto batches = server::RunStore(registry.pool).ListBatches(IdOf(Receipt(again)));
  ASSERT_EQ(batches.size(), 1u);
  EXPECT_EQ(batches[0].receipt, again.receipt);
}

TEST_F(KnownRows, what_an_import_leaves_out_is_refused_again_where_that_is_asked) {
  const std::vector<Line> lines = {{}, {.m = 32, .us = "fast"}};
  ImportTree(registry, lines);
  EXPECT_EQ(Refusal(registry.Import("tree", {{kTreeFile, Csv(lines)}}, {.atomic = true})),
            "rejected_rows");
  const auto dry = ImportTree(registry, lines, {.dry_run = true});
  EXPECT_EQ(dry["stored"], 0);
  EXPECT_EQ(registry.Count("run"), 1);
}

TEST_F(KnownRows, an_objection_is_made_once) {
  registry.Send(Csv({{}, {.m = 32}}), {.run = registry.NewRun(kDay1)});
  const std::vector<Line> lines = {{.error = "0.9"}, {.m = 32, .us = "-1"}};
  const auto first = ImportTree(registry, lines);
  EXPECT_EQ(first["withdrawn_count"], 1);
  EXPECT_EQ(first["in_doubt_count"], 1);
  EXPECT_EQ(registry.Count("job"), 1);
  for (int i = 0; i < 2; ++i) {
    const auto again = ImportTree(registry, lines);
    EXPECT_EQ(again["stored"], 0);
    EXPECT_EQ(again["withdrawn_count"], 0);
    EXPECT_EQ(again["in_doubt_count"], 0);
  }
  EXPECT_EQ(registry.Count("job"), 1);
  // A later measurement finds the candidate correct. The rows that the source repeats are older.
  registry.Send(Csv({{}}));
  ImportTree(registry, {lines[1], lines[0]});
  EXPECT_EQ(registry.Winners(), "16 a 10.0 only_candidate\n32 a 10.0 only_candidate");
}

TEST_F(KnownRows, under_another_family_file_every_row_of_the_family_is_another_one) {
  const std::string other = "a8w8_blockscale_bpreshuffle_tuned_gemm.csv";
  const std::vector<core::TarFile> files = {{kTreeFile, Csv({{}, {.m = 32, .error = "0.3"}})},
                                            {other, Csv({{}, {.m = 32}})}};
  registry.Import("tree", files);
  EXPECT_EQ(registry.Winners(), "16 a 10.0 only_candidate");
  Registry upgraded(registry.url,
                    FamiliesWith("a8w8_blockscale", [](auto& json) { json["error_limit"] = 0.5; }));
  const std::string served = "16 a 10.0 only_candidate\n32 a 10.0 only_candidate";
  EXPECT_EQ(upgraded.Winners(), served);
  const auto again = Receipt(upgraded.Import("tree", files));
  EXPECT_EQ(again["stored"], 2);
  EXPECT_EQ(again["unchanged"], 2);
  EXPECT_EQ(upgraded.Winners(), served);
  EXPECT_EQ(Receipt(upgraded.Import("tree", files))["stored"], 0);
  ASSERT_TRUE(server::RevertRun(upgraded.pool, IdOf(again), {}).ok());
  EXPECT_EQ(upgraded.Winners(), served);
}

TEST_F(KnownRows, results_for_the_run_of_an_import_are_refused) {
  const auto run = IdOf(ImportTree(registry, {{}}));
  EXPECT_EQ(Refusal(registry.Send(Csv({{.m = 32}}), {.run = run})), "run_of_an_import");
  EXPECT_EQ(registry.Count("measurement"), 1);
}

}  // namespace
}  // namespace tunehub::test
