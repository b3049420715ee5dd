// What a session of the pool keeps: a temporary table holds the age of the whole database's
// transactions, and no VACUUM of another session can advance it.
#include "tests/support/registry.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

std::string TemporaryTables(const Registry& registry) {
  return QueryText(registry.url,
                   "SELECT coalesce(string_agg(relname, ' '), 'none') FROM pg_class "
                   "WHERE relpersistence = 't' AND relkind = 'r'");
}

TEST(TemporaryTables, none_stays_after_a_batch_an_import_a_revert_or_a_judging_again) {
  Registry registry;
  EXPECT_EQ(TemporaryTables(registry), "none") << "read by the pool alone";
  const auto receipt = Receipt(registry.Send(Csv({{}, {.m = 32}})));
  EXPECT_EQ(TemporaryTables(registry), "none");
  registry.Send(Csv({{.kernel = "b", .us = "9.0"}}));  // contested
  registry.Send(Csv({{.m = 64}}), {.dry_run = true});
  registry.Import("tree", {{"a8w8_blockscale_tuned_gemm.csv", Csv({{.m = 8}})}});
  EXPECT_EQ(TemporaryTables(registry), "none");
  ASSERT_TRUE(registry.ingest.batches.Revert(receipt["run"].get<std::int64_t>(), {}).ok());
  EXPECT_EQ(TemporaryTables(registry), "none");
  const Registry upgraded(
      registry.url, FamiliesWith("a8w8_blockscale", [](auto& json) { json["error_limit"] = 0.5; }));
  EXPECT_EQ(TemporaryTables(upgraded), "none");
}

}  // namespace
}  // namespace tunehub::test
