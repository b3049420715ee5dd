// The pool keeps a connection after a dry run, a replay or a refusal, but not after an exception.
#include "server/ingest/definition_store.h"
#include "tests/support/registry.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

// The process ids of the pool's sessions.
std::string Sessions(const Registry& registry) {
  return QueryText(registry.url,
                   "SELECT string_agg(pid::text, ' ' ORDER BY pid) FROM pg_stat_activity "
                   "WHERE datname = current_database() AND application_name = 'tunehub'");
}

TEST(KeptConnections, a_dry_run_a_replay_and_a_refusal_leave_theirs_in_the_pool) {
  Registry registry;
  registry.Send(Csv({{}}), {.idempotency_key = "first"});
  const std::string sessions = Sessions(registry);
  const auto stay = [&](const char* what) { EXPECT_EQ(Sessions(registry), sessions) << what; };

  EXPECT_FALSE(registry.Send(Csv({{.m = 32}}), {.dry_run = true}).refusal);
  stay("dry run");
  EXPECT_TRUE(registry.Send(Csv({{}}), {.idempotency_key = "first"}).replayed);
  stay("replay");
  EXPECT_EQ(Refusal(registry.Send(Csv({{}}), {.idempotency_key = "first", .digest = "other"})),
            "idempotency_key_reused");
  stay("refusal");
  EXPECT_EQ(Refusal(registry.Send(Csv({{}}), {.run = 99})), "unknown_run");
  stay("unknown run");
  EXPECT_EQ(server::RevertRun(registry.pool, 99, {}).error().code, "unknown_run");
  stay("revert of an unknown run");
  EXPECT_EQ(server::DefinitionStore(registry.pool)
                .SyncDefinitions(
                    FamiliesWith("a8w8_blockscale", [](auto& json) { json["error_limit"] = 0.5; }),
                    ShippedTargets(), server::OtherFile::kRefused)
                .error()
                .code,
            "definitions_changed");
  stay("changed family file");
  EXPECT_EQ(registry.Winners(), "16 a 10.0 only_candidate") << "the refused change stored nothing";
}

// Autovacuum skips temporary tables. A table that stays would hold back the oldest transaction id.
std::string TemporaryTables(const Registry& registry) {
  return QueryText(registry.url,
                   "SELECT coalesce(string_agg(relname, ' '), 'none') FROM pg_class "
                   "WHERE relpersistence = 't' AND relkind = 'r'");
}

TEST(TemporaryTables, none_stays_after_a_batch_an_import_a_revert_or_a_judging_again) {
  Registry registry;
  EXPECT_EQ(TemporaryTables(registry), "none") << "only the pool has read";
  const auto receipt = Receipt(registry.Send(Csv({{}, {.m = 32}})));
  EXPECT_EQ(TemporaryTables(registry), "none");
  registry.Send(Csv({{.kernel = "b", .us = "9.0"}}));  // for a shape key that has a row
  registry.Send(Csv({{.m = 64}}), {.dry_run = true});
  registry.Import("tree", {{kTreeFile, Csv({{.m = 8}})}});
  EXPECT_EQ(TemporaryTables(registry), "none");
  ASSERT_TRUE(server::RevertRun(registry.pool, receipt["run"].get<std::int64_t>(), {}).ok());
  EXPECT_EQ(TemporaryTables(registry), "none");
  const Registry upgraded(
      registry.url, FamiliesWith("a8w8_blockscale", [](auto& json) { json["error_limit"] = 0.5; }));
  EXPECT_EQ(TemporaryTables(upgraded), "none");
}

}  // namespace
}  // namespace tunehub::test
